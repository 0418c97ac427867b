// SPDX-License-Identifier: GPL-3.0-or-later
// page.mjs CLUMPMODEL FOLDER: makes pages, uses them in a real browser as a reader does, with mouse and
// keyboard, wide, on a phone and in the dark, and leaves screenshots in FOLDER.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openBrowser } from "./browser.mjs";

const [program, folder] = process.argv.slice(2);
let passed = 0, failed = 0;
const check = (name, truth, found = "") => {
  truth ? passed++ : failed++;
  if (!truth) console.log(`not ok - ${name} ${found === "" ? "" : `(found ${JSON.stringify(found)})`}`);
};
const near = (a, b) => Math.abs(a - b) <= 1e-12 * Math.abs(b);
const clumpmodel = (...words) => execFileSync(program, words, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
const predict = (name, scenario, ...words) => {
  const page = join(folder, name + ".html");
  clumpmodel("predict", scenario, "--html", page, ...words);
  return page;
};
// The same question to the program itself, as a scenario: `slowdown` has no options for some of it.
function ask(q) {
  const demand = ["independent", "correlated", "scheduled", "gang:" + q.gang][q.demand], file = join(folder, "ask.lua");
  writeFileSync(file, `return scenario { processors = ${q.P}, nics = ${q.N}, utilization = ${q.U}, demand = "${demand}",
    mapping = "${q.mapping === 1 ? "static" : "pooled"}", remote_fraction = ${q.f}, cost_ratio = ${q.V}, waiting_fraction = ${q.h},
    memory_penalty = ${q.c}, phase_cycles = ${q.T > 0 ? q.T : "nil"}, max_nics_per_processor = ${q.m > 0 && q.mapping !== 1 ? q.m : "nil"} }`);
  const row = JSON.parse(clumpmodel("predict", file, "--format", "json")).results[0];
  return demand === "correlated" ? row.slowest_slowdown : row.slowdown;
}

const clump = predict("clump", "clump-vs-now"), heat = predict("heat", "figure-8.4", "--plot-kind", "heat");
const hostileFile = join(folder, "hostile.lua"), unusualFile = join(folder, "unusual.lua"), unequalFile = join(folder, "unequal.lua");
writeFileSync(hostileFile, `local evil = "</script><script>document.title='pwned'</script><img src=x onerror=document.title='pwned'>&amp;\\"'"
return scenario { title = evil, application = application { name = evil, utilization = 0.3 },
  platform = platform { name = evil, processors = 4, nics = 2 }, nics = { 1, 2 } }`);
writeFileSync(unusualFile, `return scenario { processors = 4, nics = 2, utilization = 0.5, efficiency = { 1, 0.5 } }`);
writeFileSync(unequalFile, `return scenario { processors = 6, nics = 4, utilization = 0.4, demand = "correlated", mapping = "static" }`);
const hostile = predict("hostile", hostileFile), unusual = predict("unusual", unusualFile), unequal = predict("unequal", unequalFile);

const browser = await openBrowser();
try {
  const ready = "!document.getElementById('answer').hidden";
  const exact = "Number(document.getElementById('slowdown').dataset.exact)";
  const values = `((exact) => Object.fromEntries([...["P","N","U","f","V"].map((id) => [id, exact(document.getElementById(id + "-number"))]),
    ...["demand","gang","mapping","m","h","c","T"].map((id) => [id, exact(document.getElementById(id))])]))((e) => Number(e.value === e.dataset.shown ? e.dataset.exact : e.value))`;
  const agree = async (page, name) => {
    const [q, x] = [await page.run(values), await page.run(exact)];
    check(`${name}: browser and program agree`, near(x, ask(q)), { q, x, program: ask(q) });
    check(`${name}: the text shows the number`, Number(await page.run("document.getElementById('slowdown').textContent")) === Number(x.toFixed(4)));
    return x;
  };

  // ---- wide, with mouse and keyboard
  const wide = await browser.open(clump);
  await wide.until(ready);
  check("no request but the file itself", wide.requests.length === 1 && wide.requests[0].startsWith("file:"), wide.requests);
  const bases = await wide.run("JSON.parse(document.getElementById('data').textContent).bases");
  check("36 rows to start from", bases.length === 36, bases.length);
  const rows = JSON.parse(clumpmodel("predict", "clump-vs-now", "--format", "json")).results;
  check("some of which have a slowest group", rows.some((row) => row.paced_by) && rows.some((row) => !row.paced_by));
  for (const [i, base] of bases.entries()) {
    await wide.run(`{ const list = document.getElementById('base'); list.value = ${i}; list.dispatchEvent(new Event("change")); }`);
    // Of processors that send more than others, for whose group all wait, the sliders know nothing: that is told.
    const row = rows[i], waits = row.demand === "correlated" || row.paced_by, told = !(await wide.run("document.getElementById('differs').hidden"));
    check(`${base.name}: starts with the table's`, near(base.X, waits ? row.slowest_slowdown : row.slowdown), [base, row]);
    check(`${base.name}: as in the table, or told`, near(await wide.run(exact), base.X) !== told && told === Boolean(row.paced_by), base);
  }
  await wide.run("document.getElementById('base').value = 0; document.getElementById('base').dispatchEvent(new Event('change'))");
  const before = await agree(wide, "at the start");
  await wide.run("document.getElementById('N').focus()");
  await wide.press("ArrowRight", 39);
  check("an arrow key moves the slider", (await wide.run("document.getElementById('N-number').value")) === "5");
  const after = await agree(wide, "one NIC more");
  check("one NIC more is faster", after < before, [before, after]);
  const box = await wide.run("{ const b = document.getElementById('U'); b.scrollIntoView({ block: 'center' }); const r = b.getBoundingClientRect(); [r.left, r.top, r.width, r.height] }");
  const spot = { x: box[0] + box[2] * 0.75, y: box[1] + box[3] / 2, button: "left", clickCount: 1 };
  await wide.send("Input.dispatchMouseEvent", { type: "mousePressed", ...spot });
  await wide.send("Input.dispatchMouseEvent", { type: "mouseReleased", ...spot });
  const dragged = await wide.run("Number(document.getElementById('U-number').value)");
  check("a click on the slider of U sets it near 0.75", Math.abs(dragged - 0.75) < 0.06, dragged);
  await agree(wide, "after the click");
  for (const [id, value] of [["demand", 0], ["demand", 2], ["demand", 3], ["demand", 1], ["mapping", 0], ["m", 1.5], ["P-number", 300], ["V-number", 0.25], ["f-number", 0.875]]) {
    await wide.run(`{ const e = document.getElementById("${id}"); e.value = ${value}; e.dispatchEvent(new Event("input", { bubbles: true })); }`);
    await agree(wide, `${id} = ${value}`);
    if (id === "demand") check("the size of gangs shows with gangs only", (await wide.run("document.getElementById('gang').hidden")) === (value !== 3));
  }
  await wide.run(`document.getElementById("U-number").focus(); document.getElementById("U-number").select()`);
  await wide.press("7", 55, "7");
  check("a number that cannot be is refused, in words", await wide.run("!document.getElementById('refused').hidden && document.getElementById('refused').textContent.includes('expected')"));
  check("and shows no answer", (await wide.run("document.getElementById('slowdown').textContent")) === "-");
  await wide.run(`document.getElementById("U-number").select()`);
  await wide.press("0", 48, "0");
  await agree(wide, "after that");
  const stops = [];
  await wide.run("{ const h = document.querySelector('h1'); h.tabIndex = -1; h.focus(); }");
  for (let i = 0; i < 24; i++) {
    await wide.press("Tab", 9);
    stops.push(await wide.run("document.activeElement.id"));
  }
  for (const id of ["base", "P", "P-number", "N", "U", "f", "V", "demand", "mapping", "m"])
    check(`the Tab key reaches ${id}`, stops.includes(id), stops);
  check("controls have labels", await wide.run("[...document.querySelectorAll('input, select')].every((e) => e.labels.length > 0 || e.getAttribute('aria-label'))"));
  check("pictures have names", await wide.run("[...document.querySelectorAll('figure svg[role=img]')].every((e) => e.getAttribute('aria-label'))"));
  const title = "The Clump of the thesis against a NOW of 32 workstations";
  const holds = (text) => `[...document.querySelectorAll("h1, h2, h3, figcaption, p, td, th, summary")].filter((e) => e.textContent.includes(${JSON.stringify(text)})).length`;
  check("the title stands once", (await wide.run(holds(title))) === 1);
  check("that of the second scenario at its picture and its table", (await wide.run(holds("numbers of NICs that it never had"))) === 2);
  check("the first line answers", /^The Clump takes 37\.7% longer than the NOW \(correlated, 3-D FFT\) at worst, .* in 5 of 12 cases/.test(await wide.run("document.querySelector('h1 + p').textContent")));
  check("the second scenario's answer stands at its table", await wide.run("document.body.textContent.includes('To be as fast as the NOW a node needs at most 8 NICs (SAMPLE), more than the 8 tried (CON/comp)')"));
  check("no words that only insiders know", !/tight coupling|contention|U_adj/.test(await wide.run("document.querySelector('main').textContent")));
  const clipped = "[...document.querySelectorAll('input[type=number]')].filter((e) => e.offsetParent && e.scrollWidth > e.clientWidth).map((e) => e.id + ' ' + e.value)";
  check("no box clips its number", (await wide.run(clipped)).length === 0, await wide.run(clipped));
  const choices = "(() => { const pen = document.createElement('canvas').getContext('2d'); return [...document.querySelectorAll('#demand, #mapping')].filter((e) => { const s = getComputedStyle(e); pen.font = s.fontSize + ' ' + s.fontFamily; return Math.max(...[...e.options].map((o) => pen.measureText(o.text).width)) > e.clientWidth - 20; }).map((e) => e.id); })()";
  check("nor its choices", (await wide.run(choices)).length === 0, await wide.run(choices));
  await wide.run(`{ const e = document.getElementById("U-number"); e.value = "0.12345678901234567"; e.dispatchEvent(new Event("input", { bubbles: true })); }`);
  check("nor one that somebody types", (await wide.run(clipped)).length === 0, await wide.run(clipped));
  await agree(wide, "all its digits count");
  check("names that have room are not rotated", (await wide.run("document.querySelectorAll('#picture-0 text[transform*=\"-35\"]').length")) === 0);
  const ends = await wide.run("[...document.querySelectorAll('#picture-1 text.end')].map((e) => [e.textContent, Number(e.getAttribute('y'))])");
  check("six lines and the level are named at their ends", ends.length === 7 && ends[0][0] === "3-D FFT", ends);
  check("apart from each other", ends.every(([, y], i) => i === 0 || y - ends[i - 1][1] >= 13), ends);
  check("what is named there is in no legend", (await wide.run("document.querySelectorAll('#picture-1 .legend li').length")) === 1);
  check("nothing of a picture is cut off", await wide.run("[...document.querySelectorAll('figure svg[role=img]')].every((e) => { const b = e.viewBox.baseVal, box = e.getBBox(); return box.x >= -1 && box.x + box.width <= b.width + 1 && box.y >= -1 && box.y + box.height <= b.height + 1; })"));
  const shaded = "[...document.querySelectorAll('.frame')].map((f) => { const b = f.firstElementChild; return [f.offsetParent !== null, b.scrollHeight > b.clientHeight + 1 || b.scrollWidth > b.clientWidth + 1, f.matches('.to-bottom, .to-right'), !f.nextElementSibling.hidden]; })";
  const shades = (await wide.run(shaded)).filter(([seen]) => seen);
  check("tables that scroll say so, others do not", shades.some(([, more]) => more) && shades.some(([, more]) => !more) && shades.every(([, more, shade, line]) => more === shade && more === line), shades);
  const longest = "document.querySelector('.frame.to-bottom')";
  check("and in how many rows", /^Scroll (sideways and down for all of its \d+ columns and|down for all of its) \d+ rows\.$/.test(await wide.run(`${longest}.nextElementSibling.textContent`)));
  await wide.run(`{ const f = ${longest}; f.id = "longest"; f.firstElementChild.scrollTop = 1e6; f.firstElementChild.dispatchEvent(new Event("scroll")); }`);
  check("no shadow at the end", !(await wide.run("document.getElementById('longest').matches('.to-bottom')")));
  check("two pictures and two that move", (await wide.run("document.querySelectorAll('figure svg[role=img]').length")) === 4);
  check("measured points are drawn with their intervals", (await wide.run("document.querySelectorAll('#picture-0 circle[r=\"5\"]').length")) === 6);
  check("sources are told", await wide.run("document.body.textContent.includes('table 7.8')"));
  check("the scenario is there", await wide.run(`document.querySelectorAll("pre")[1].textContent === ${JSON.stringify(readFileSync("scenarios/clump-vs-now.lua", "utf8"))}`));
  check("no complaint", wide.problems.length === 0, wide.problems);
  await wide.picture(join(folder, "wide.png"));

  // ---- on a phone
  const phone = await browser.open(clump, { width: 375, height: 780, mobile: true });
  await phone.until(ready);
  check("phone: nothing sticks out", (await phone.run("document.documentElement.scrollWidth")) === 375);
  check("phone: text is not small", (await phone.run("Math.min(...[...document.querySelectorAll('p, li, td, label, text')].map((e) => parseFloat(getComputedStyle(e).fontSize)))")) >= 12);
  check("phone: pictures keep the size of their text", await phone.run("[...document.querySelectorAll('figure svg[role=img]')].every((e) => Math.abs(e.getBoundingClientRect().width / e.viewBox.baseVal.width - 1) < 0.02)"));
  check("phone: controls are large enough for fingers", await phone.run("[...document.querySelectorAll('#controls > .wide select, #controls > .fields input:not([hidden]), #controls > .fields select')].every((e) => e.getBoundingClientRect().height >= 30)"));
  check("phone: no box clips its number", (await phone.run(clipped)).length === 0, await phone.run(clipped));
  check("phone: nor its choices", (await phone.run(choices)).length === 0, await phone.run(choices));
  check("phone: a legend, for names at ends have no room", (await phone.run("document.querySelectorAll('text.end').length")) === 0 && (await phone.run("document.querySelectorAll('#picture-1 .legend li').length")) === 8);
  check("phone: names that have no room are rotated", (await phone.run("document.querySelectorAll('#picture-0 text[transform*=\"-35\"]').length")) === 6);
  check("phone: nothing of a picture is cut off", await phone.run("[...document.querySelectorAll('figure svg[role=img]')].every((e) => { const b = e.viewBox.baseVal, box = e.getBBox(); return box.x >= -1 && box.x + box.width <= b.width + 1 && box.y >= -1 && box.y + box.height <= b.height + 1; })"));
  const aside = (await phone.run(shaded)).filter(([seen, more]) => seen && more);
  check("phone: tables that scroll sideways say so", aside.length > 1 && aside.every(([, , shade, line]) => shade && line), aside);
  await phone.picture(join(folder, "phone.png"));

  // ---- in the dark
  const contrast = `(() => { const light = (c) => { const [r, g, b] = c.match(/\\d+/g).map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const s = getComputedStyle(document.body), a = light(s.color), b = light(s.backgroundColor), q = light(getComputedStyle(document.querySelector(".quiet")).color);
    const ratio = (x, y) => (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); return [ratio(a, b), ratio(q, b), b]; })()`;
  for (const [name, dark] of [["light", false], ["dark", true]]) {
    const page = await browser.open(heat, { dark });
    await page.until(ready);
    const [text, quiet, paper] = await page.run(contrast);
    check(`${name}: contrast of text`, text >= 7 && quiet >= 4.5, [text, quiet]);
    check(`${name}: paper`, dark ? paper < 0.05 : paper > 0.9, paper);
    check(`${name}: 909 boxes`, (await page.run("document.querySelectorAll('#picture-0 rect > title').length")) === 909);
    await page.picture(join(folder, name + ".png"));
    check(`${name}: no complaint`, page.problems.length === 0, page.problems);
  }

  // ---- groups that are not equal: all wait for the slowest, whose slowdown is the program's, as in the console
  const groups = await browser.open(unequal);
  await groups.until(ready);
  check("unequal groups: that of the slowest", near(await agree(groups, "unequal groups"), 1.4));
  check("unequal groups: the verdict is of it", (await groups.run("document.getElementById('verdict').textContent")).startsWith("The Clump takes 40.0% longer than the NOW."));
  check("unequal groups: the interval lies around it", /90% between 1\.15 and 1\.70,/.test(await groups.run("document.getElementById('verdict').textContent")));
  check("unequal groups: the mean is beside it", (await groups.run("document.getElementById('own').hidden ? '' : document.getElementById('own-mean').textContent")) === "1.2667");
  check("unequal groups: as in the table", await groups.run("document.getElementById('differs').hidden"));
  await groups.run(`{ const e = document.getElementById("N-number"); e.value = "3"; e.dispatchEvent(new Event("input", { bubbles: true })); }`);
  await agree(groups, "equal groups");
  check("equal groups: there is one slowdown", await groups.run("document.getElementById('own').hidden"));
  check("unequal groups: no complaint", groups.problems.length === 0, groups.problems);

  // ---- texts of strangers, and a scenario that knows more than the sliders
  const evil = await browser.open(hostile);
  await evil.until(ready);
  check("no title ran", !(await evil.run("document.title === 'pwned'")));
  check("no title became markup", (await evil.run("document.querySelectorAll('img').length")) === 0 && (await evil.run("document.scripts.length")) === 3);
  check("the title shows as it is", (await evil.run("document.querySelector('h1').textContent")) === `</script><script>document.title='pwned'</script><img src=x onerror=document.title='pwned'>&amp;"'`);
  await evil.run("{ const s = document.createElement('script'); s.textContent = \"document.title='pwned'\"; document.body.append(s); const d = document.createElement('div'); d.innerHTML = '<img src=x onerror=\"document.title=`pwned`\">'; document.body.append(d); }");
  await new Promise((resolve) => setTimeout(resolve, 200));
  check("a script that got in would not run", !(await evil.run("document.title === 'pwned'")));
  const other = await browser.open(unusual);
  await other.until(ready);
  check("it is told when the sliders know less than the scenario", !(await other.run("document.getElementById('differs').hidden")));

  // ---- without scripts
  const still = await browser.open(clump);
  await still.send("Emulation.setScriptExecutionDisabled", { value: true });
  await still.send("Page.reload");
  await new Promise((resolve) => setTimeout(resolve, 500));
  await still.picture(join(folder, "no-scripts.png"), false);
  const { root } = await still.send("DOM.getDocument");
  const found = async (selector) => (await still.send("DOM.querySelector", { nodeId: root.nodeId, selector })).nodeId !== 0;
  check("without scripts it says so, and the tables stay", (await found("noscript p")) && (await found("main td")) && !(await found("#picture-0 svg")));
} finally {
  await browser.close();
}
console.log(`page: ${passed} passed, ${failed} failed; screenshots in ${folder}`);
process.exit(failed === 0 ? 0 : 1);
