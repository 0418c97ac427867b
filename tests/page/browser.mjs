// SPDX-License-Identifier: GPL-3.0-or-later
// A headless Chromium, driven over a pipe in its own protocol: open a file, look, type, take a picture.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export async function openBrowser(program = process.env.CHROMIUM || "chromium") {
  const profile = mkdtempSync(join(tmpdir(), "page-test-"));
  const child = spawn(program, [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
    `--user-data-dir=${profile}`, "--remote-debugging-pipe", "about:blank",
  ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  const waiting = new Map(), listeners = [];
  let last = 0, rest = "";
  child.stdio[4].on("data", (chunk) => {
    const messages = (rest + chunk).split("\0");
    rest = messages.pop();
    for (const message of messages.map((m) => JSON.parse(m))) {
      if (message.id) {
        const { resolve, reject } = waiting.get(message.id);
        waiting.delete(message.id);
        message.error ? reject(new Error(message.error.message)) : resolve(message.result);
      } else for (const listener of listeners) listener(message);
    }
  });
  child.on("error", (problem) => { for (const { reject } of waiting.values()) reject(problem); });
  const call = (method, params = {}, sessionId) => new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject });
    child.stdio[3].write(JSON.stringify({ id: last, method, params, sessionId }) + "\0");
  });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const close = async () => {
    await call("Browser.close").catch(() => {});
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };

  // A page of that size: { width, height, dark }.
  async function open(path, { width = 1000, height = 900, dark = false, mobile = false } = {}) {
    const { targetId } = await call("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await call("Target.attachToTarget", { targetId, flatten: true });
    const send = (method, params) => call(method, params, sessionId);
    const requests = [], problems = [];
    listeners.push((m) => {
      if (m.sessionId !== sessionId) return;
      if (m.method === "Network.requestWillBeSent") requests.push(m.params.request.url);
      if (m.method === "Runtime.exceptionThrown") problems.push(m.params.exceptionDetails.exception?.description ?? m.params.exceptionDetails.text);
      if (m.method === "Log.entryAdded" && m.params.entry.level === "error") problems.push(m.params.entry.text);
    });
    await Promise.all(["Page.enable", "Network.enable", "Runtime.enable", "Log.enable"].map((m) => send(m)));
    await send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile });
    await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
    await send("Page.navigate", { url: pathToFileURL(path).href });
    const run = async (expression) => {
      const { result, exceptionDetails } = await send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    };
    const until = async (expression) => {
      for (let i = 0; i < 200; i++) {
        if (await run(expression).catch(() => false)) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error(`never became true: ${expression}`);
    };
    const press = async (key, code, text) => {
      await send("Input.dispatchKeyEvent", { type: "keyDown", key, code: key, windowsVirtualKeyCode: code, text });
      await send("Input.dispatchKeyEvent", { type: "keyUp", key, code: key, windowsVirtualKeyCode: code });
    };
    const picture = async (file, whole = true) => {
      const { data } = await send("Page.captureScreenshot", { format: "png", captureBeyondViewport: whole });
      writeFileSync(file, Buffer.from(data, "base64"));
    };
    return { send, run, until, press, picture, requests, problems };
  }
  return { open, close };
}
