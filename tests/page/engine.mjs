// SPDX-License-Identifier: GPL-3.0-or-later
// engine.mjs ENGINE.wasm POINTS.csv: every row of the program's CSV, computed by the browser's engine.
import { readFileSync } from "node:fs";

const [wasm, csv] = process.argv.slice(2);
const refuse = () => 8;
const { instance } = await WebAssembly.instantiate(readFileSync(wasm), {
  wasi_snapshot_preview1: { fd_close: refuse, fd_seek: refuse, fd_write: refuse } });
const engine = instance.exports;
engine._initialize();

const [head, ...lines] = readFileSync(csv, "utf8").trim().split("\n");
const names = head.split(",");
const demands = ["independent", "correlated", "scheduled", "gang"];
const tolerance = 1e-12;
let compared = 0, failed = 0, greatest = 0;
const transients = { count: 0, greatest: 0 };
for (const line of lines) {
  const row = Object.fromEntries(line.split(",").map((text, i) => [names[i], text]));
  const value = (name, otherwise) => (row[name] === "" ? otherwise : Number(row[name]));
  const status = engine.clump_page_predict(
    value("processors"), value("nics"), value("utilization"), demands.indexOf(row.demand.split(":")[0]),
    value("gang_size", 1), row.mapping === "static" ? 1 : 0, value("max_nics_per_processor", 0),
    value("remote_fraction", 1), value("cost_ratio", 1), value("waiting_fraction", 0), value("memory_penalty", 1),
    value("phase_cycles", 0), row.memory_law ? value("memory_share") : 0, row.memory_law ? value("memory_feeds") : 1,
    row.memory_law === "roofline" ? 1 : 0);
  const answer = new Float64Array(engine.memory.buffer, engine.clump_page_answer(), 5);
  ["slowdown", "slowest_slowdown", "adjusted_utilization", "mean_active", "nic_utilization"].forEach((name, i) => {
    const expected = value(name, NaN), found = answer[i];
    compared++;
    if (status === 0 && Number.isNaN(expected) && Number.isNaN(found)) return;
    const error = Math.abs(found - expected) / Math.max(Math.abs(expected), 1e-300);
    const same = found === expected ? 0 : error;
    if (row.phase_cycles) { transients.count++; transients.greatest = Math.max(transients.greatest, same); }
    greatest = Math.max(greatest, same);
    if (status === 0 && same <= tolerance) return;
    failed++;
    console.log(`${row.scenario}, ${name}: browser ${found}, program ${expected}, status ${status}`);
  });
}
console.log(`${lines.length} points, ${compared} numbers, ${failed} differ by more than ${tolerance}; greatest difference ${greatest.toExponential(2)} (${transients.count} of transients: ${transients.greatest.toExponential(2)})`);
process.exit(failed === 0 && lines.length >= 1000 ? 0 : 1);
