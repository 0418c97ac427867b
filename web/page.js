// SPDX-License-Identifier: GPL-3.0-or-later
// The page's own program: draws the pictures, and asks the engine, which is the C program's model
// compiled to WebAssembly, whenever a slider moves. Texts become text nodes, never markup.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const dark = matchMedia("(prefers-color-scheme: dark)");

  // ---- colours: those of cli/pictures/plot.c, lighter on a dark page
  const kinds = { light: ["#0072b2", "#d55e00", "#009e73", "#b0578b", "#b87c00", "#2f94cc", "#6a6a6a"],
                  dark: ["#5ab4f0", "#ff8a3d", "#2ecfa0", "#e295c2", "#f0b429", "#9ad4f7", "#a8a8a8"] };
  const steps = { light: ["#440154", "#443983", "#31688e", "#21918c", "#35b779", "#7ab82f"],
                  dark: ["#8a7fd0", "#6f9bd8", "#4fb3c4", "#4fc9a0", "#8fdc6a", "#e6e34a"] };
  const dashes = ["", "7 5", "2 4", "8 4 2 4", "8 4 2 4 2 4"];
  const shade = () => (dark.matches ? "dark" : "light");
  const ink = () => (dark.matches ? "#e8e8e8" : "#1a1a1a");
  const mix = (a, b, t) => "#" + [1, 3, 5].map((i) => {
    const from = parseInt(a.slice(i, i + 2), 16), to = parseInt(b.slice(i, i + 2), 16);
    return Math.round(from + (to - from) * t).toString(16).padStart(2, "0");
  }).join("");
  function colour(plot, series) {
    if (series.black) return ink();
    if (!plot.ordered) return kinds[shade()][series.colour % 7];
    const most = Math.max(1, ...plot.series.map((s) => (s.black ? 0 : s.colour)));
    const place = (series.colour / most) * 5, step = Math.min(4, Math.floor(place));
    return mix(steps[shade()][step], steps[shade()][step + 1], place - step);
  }
  const dash = (plot, series) =>
    series.black && series.mark !== 1 ? dashes[1] : plot.ordered ? "" : dashes[(series.colour + Math.floor(series.colour / 7)) % 5];
  function heat(share) {
    const ends = dark.matches ? ["#4aa8ea", "#22262b", "#f07a20"] : ["#0072b2", "#f7f7f7", "#d55e00"];
    return share < 0.5 ? mix(ends[0], ends[1], 2 * share) : mix(ends[1], ends[2], 2 * share - 1);
  }

  // ---- pictures
  function svg(name, attributes, text) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    if (text !== undefined) element.textContent = text;
    return element;
  }
  function html(name, text, className) {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (className) element.className = className;
    return element;
  }
  const isShown = (v, axis) => v !== null && Number.isFinite(v) && (!axis.log || v > 0);
  function range(values, axis) {
    let least = Infinity, most = -Infinity;
    for (const v of values) if (isShown(v, axis)) { least = Math.min(least, v); most = Math.max(most, v); }
    if (!(least <= most)) [least, most] = axis.log ? [1, 10] : [0, 1];
    if (least === most) [least, most] = axis.log ? [least / 2, most * 2] : [least - 0.5, most + 0.5];
    return [least, most];
  }
  function ticks([least, most], axis, count) {
    if (axis.log) {
      const list = [];
      if (!axis.whole && most < 2.5 * least) return ticks([least, most], { log: false }, count);
      const base = axis.whole ? 2 ** Math.max(1, Math.ceil(Math.log2(most / least) / count)) : 10;
      const factors = axis.whole || most / least > 1000 ? [1] : most < 8 * least ? [1, 1.5, 2, 3, 4, 5, 7] : [1, 2, 5];
      const start = axis.whole ? 2 : base;
      for (let p = start ** Math.floor(Math.log(least) / Math.log(start) + 1e-9); p <= most * 1.0001; p *= base)
        for (const f of factors) if (p * f >= least * 0.9999 && p * f <= most * 1.0001) list.push(p * f);
      return list;
    }
    const rough = (most - least) / count, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough * 0.9999);
    const size = axis.whole ? Math.max(1, Math.round(step)) : step, list = [];
    for (let i = Math.ceil(least / size - 1e-9); i * size <= most + size * 1e-9; i++) list.push(i * size);
    return list;
  }
  const show = (v) => String(+v.toPrecision(6));

  function scale([least, most], from, to, log) {
    const t = log ? (v) => Math.log(v / least) / Math.log(most / least) : (v) => (v - least) / (most - least);
    return (v) => from + t(v) * (to - from);
  }
  // Borders of the boxes of a heat map: halfway between neighbours.
  const borders = (v, log) => v.length === 1 ? [v[0] - 0.5, v[0] + 0.5] : [...v, 0].map((_, i) => {
    const k = i === 0 ? 1 : i === v.length ? v.length - 1 : i;
    const middle = log ? Math.sqrt(v[k - 1] * v[k]) : (v[k - 1] + v[k]) / 2;
    const end = i === 0 ? v[0] : v[v.length - 1];
    return i > 0 && i < v.length ? middle : log ? (end * end) / middle : 2 * end - middle;
  });

  // ---- texts in a picture, and where they have room
  const pen = document.createElement("canvas").getContext("2d");
  function wide(text) {
    pen.font = "12px system-ui, sans-serif";
    return pen.measureText(text).width;
  }
  function cut(text, most) {
    let length = text.length;
    if (wide(text) <= most) return text;
    while (length > 1 && wide(text.slice(0, length) + "\u2026") > most) length--;
    return text.slice(0, length) + "\u2026";
  }
  // Names often differ at their ends only.
  function shorten(text, most) {
    let kept = text.length;
    const short = () => text.slice(0, Math.ceil(kept / 2)) + "\u2026" + text.slice(text.length - Math.floor(kept / 2));
    if (wide(text) <= most) return text;
    while (kept > 2 && wide(short()) > most) kept--;
    return short();
  }
  function wrap(text, most) {
    const lines = [];
    for (const word of text.split(" ")) {
      const last = lines.length - 1;
      if (last >= 0 && wide(lines[last] + " " + word) <= most) lines[last] += " " + word;
      else lines.push(cut(word, most));
    }
    return lines;
  }
  // What stands at the right ends of lines: their names, and what the level is.
  function ends(plot) {
    const list = [];
    const add = (name, series, end) => list.push({ lines: wrap(name, 170), series, end });
    for (const s of plot.series) {
      const last = s.x.map((x, i) => [x, s.y[i]]).filter(([x, y]) => isShown(x, plot.x) && isShown(y, plot.y)).pop();
      if (s.name && s.mark !== 1 && last) add(s.name, s, last);
    }
    if (list.length > 0 && plot.level && plot.levelName) add(plot.levelName, null, [Infinity, plot.level]);
    return list;
  }
  // Apart enough to be read: those that would overlap stand as a block around the mean of their places.
  function spread(list, top, bottom) {
    const blocks = [], all = list.reduce((sum, e) => sum + e.height, 0);
    list.sort((a, b) => a.y - b.y);
    for (const e of list) {
      blocks.push({ top: e.y - e.height / 2, height: e.height, list: [e] });
      while (blocks.length > 1) {
        const [a, b] = blocks.slice(-2), n = a.list.length, m = b.list.length;
        if (a.top + a.height <= b.top) break;
        blocks.splice(-2, 2, { top: (n * a.top + m * (b.top - a.height)) / (n + m), height: a.height + b.height, list: [...a.list, ...b.list] });
      }
    }
    let above = 0;
    for (const block of blocks) {
      let y = Math.max(top + above, Math.min(block.top, bottom - all + above));
      for (const e of block.list) { e.y = y + e.height / 2; y += e.height; }
      above += block.height;
    }
  }
  function drawEnds(image, plot, list, X, Y, right, top, bottom) {
    for (const e of list) {
      e.height = 15 * e.lines.length + 2;
      e.from = [Math.min(X(e.end[0]), right), Y(e.end[1])];
      e.y = e.from[1];
    }
    spread(list, top - 7, bottom + 7);
    for (const e of list) {
      const stroke = e.series ? colour(plot, e.series) : undefined, x = right + 14;
      const line = { d: `M${e.from[0]} ${e.from[1]}L${x} ${e.y}`, "stroke-width": 0.75, fill: "none" };
      image.append(svg("path", e.series ? { ...line, stroke } : { ...line, class: "leader" }));
      const sample = svg("g", { transform: `translate(${x} ${e.y - 6})` });
      drawSample(sample, plot, e.series);
      image.append(sample);
      e.lines.forEach((text, i) => image.append(svg("text", { x: x + 38, y: e.y + 4 + 15 * (i - (e.lines.length - 1) / 2), class: "end" }, text)));
    }
  }

  // Names along the axis, rotated only if they fit neither into one line nor into two.
  function layNames(names, left, right) {
    const slot = (right - left) / names.length - 8;
    const lines = names.map((name) => wrap(name, slot));
    const fit = lines.every((l) => l.length <= 2) && names.every((name) => name.split(" ").every((word) => wide(word) <= slot));
    if (fit) return { lines, room: 46 + 14 * (Math.max(...lines.map((l) => l.length)) - 1) };
    const most = Math.min(170, (left + slot / 2) / 0.82), short = names.map((name) => shorten(name, most));
    return { short, room: 50 + 0.57 * Math.max(...short.map(wide)) };
  }
  function drawNames(image, laid, X, bottom) {
    if (laid.lines) laid.lines.forEach((lines, i) => lines.forEach((text, k) =>
      image.append(svg("text", { x: X(i), y: bottom + 16 + 14 * k, "text-anchor": "middle" }, text))));
    else laid.short.forEach((text, i) =>
      image.append(svg("text", { x: X(i) + 4, y: bottom + 14, "text-anchor": "end", transform: `rotate(-35 ${X(i) + 4} ${bottom + 14})` }, text)));
  }

  function draw(figure, plot, marker) {
    const width = Math.max(280, figure.clientWidth), names = plot.categories;
    const grid = plot.grid, all = (key) => plot.series.flatMap((s) => s[key] || []);
    let xs, ys;
    if (grid) {
      const bx = borders(grid.x, plot.x.log), by = borders(grid.y, plot.y.log);
      [xs, ys] = [[bx[0], bx[bx.length - 1]], [by[0], by[by.length - 1]]];
    } else {
      xs = names ? [-0.5, names.length - 0.5] : range(all("x"), plot.x);
      if (!names && plot.series.every((s) => s.mark === 1)) { // points alone stand clear of the axes
        const room = plot.x.log ? (xs[1] / xs[0]) ** 0.03 : 0.03 * (xs[1] - xs[0]);
        xs = plot.x.log ? [xs[0] / room, xs[1] * room] : [xs[0] - room, xs[1] + room];
      }
      ys = range([...all("y"), ...all("low"), ...all("high"), ...(plot.level ? [plot.level] : [])], plot.y);
      ys = plot.y.log ? [ys[0] / 1.1, ys[1] * 1.1] : [Math.min(0, ys[0] * 1.05), Math.max(0, ys[1] * 1.05)];
    }
    const heights = ticks(ys, plot.y, 6), left = Math.max(52, 32 + Math.max(0, ...heights.map((t) => wide(show(t)))));
    const top = 12, named = width >= 560 && !names && !plot.grid ? ends(plot) : [];
    const right = width - (named.length ? 60 + Math.max(...named.flatMap((e) => e.lines.map(wide))) : 24);
    const laid = names && layNames(names, left, right), below = laid ? laid.room : 46;
    const needed = named.reduce((sum, e) => sum + 15 * e.lines.length + 2, 0) + top + below;
    const height = Math.max(Math.min(420, Math.max(260, width * 0.6)), needed), bottom = height - below;
    const image = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": plot.title || plot.y.label });
    const X = scale(xs, left, right, plot.x.log), Y = scale(ys, bottom, top, plot.y.log);
    for (const t of heights) {
      image.append(svg("line", { x1: left, x2: right, y1: Y(t), y2: Y(t), class: "grid" }));
      image.append(svg("text", { x: left - 6, y: Y(t) + 4, "text-anchor": "end" }, show(t)));
    }
    if (names) drawNames(image, laid, X, bottom);
    else for (const t of ticks(xs, plot.x, Math.max(3, width / 90))) {
      image.append(svg("line", { x1: X(t), x2: X(t), y1: top, y2: bottom, class: "grid" }));
      image.append(svg("text", { x: X(t), y: bottom + 16, "text-anchor": "middle" }, show(t)));
    }
    image.append(svg("path", { d: `M${left} ${top}V${bottom}H${right}`, fill: "none", class: "axis" }));
    image.append(svg("text", { x: (left + right) / 2, y: height - 6, "text-anchor": "middle" }, plot.x.label));
    image.append(svg("text", { x: 14, y: (top + bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${(top + bottom) / 2})` },
      bottom - top < 320 ? plot.y.label.replace(/ \(.*/, "") : plot.y.label));
    if (grid) drawGrid(image, plot, X, Y);
    if (plot.level) image.append(svg("line", { x1: left, x2: right, y1: Y(plot.level), y2: Y(plot.level), class: "level" }));
    if (plot.diagonal) {
      const from = Math.max(xs[0], ys[0]), to = Math.min(xs[1], ys[1]);
      if (from < to) image.append(svg("line", { x1: X(from), y1: Y(from), x2: X(to), y2: Y(to), class: "level" }));
    }
    for (const series of plot.series) drawSeries(image, plot, series, X, Y);
    if (marker) image.append(svg("circle", { cx: X(marker[0]), cy: Y(marker[1]), r: 6, fill: ink(), class: "marker" }));
    drawEnds(image, plot, named, X, Y, right, top, bottom);
    const parts = [image, legend(plot, named)];
    if (plot.title && plot.title !== document.querySelector("h1").textContent) parts.unshift(html("figcaption", plot.title));
    figure.replaceChildren(...parts);
  }
  function drawGrid(image, plot, X, Y) {
    const { x, y, z, centre } = plot.grid, bx = borders(x, plot.x.log), by = borders(y, plot.y.log);
    const [least, most] = gridRange(plot.grid);
    z.forEach((value, k) => {
      const i = k % x.length, j = Math.floor(k / x.length);
      if (value === null) return;
      const share = !centre ? (value - least) / (most - least)
        : value < centre ? 0.5 * Math.log(value / least) / Math.log(centre / least)
        : 0.5 + 0.5 * Math.log(value / centre) / Math.log(most / centre);
      const box = svg("rect", { x: X(bx[i]), y: Y(by[j + 1]), width: X(bx[i + 1]) - X(bx[i]) + 0.5, height: Y(by[j]) - Y(by[j + 1]) + 0.5, fill: heat(share) });
      box.append(svg("title", {}, `${show(x[i])}, ${show(y[j])}: ${show(value)}`));
      image.append(box);
    });
  }
  function gridRange(grid) {
    const shown = grid.z.filter((v) => v !== null);
    const least = Math.min(...shown), most = Math.max(...shown);
    return grid.centre ? [Math.min(least, grid.centre / 1.1), Math.max(most, grid.centre * 1.1)] : [least, most];
  }
  function drawSeries(image, plot, series, X, Y) {
    const stroke = colour(plot, series), points = series.x.map((x, i) => [x, series.y[i], i]);
    const here = points.filter(([x, y]) => isShown(x, plot.x) && isShown(y, plot.y));
    const interval = series.low && series.high;
    if (interval && series.mark !== 1) {
      const edge = [...here.map(([x, , i]) => [x, series.high[i]]), ...here.reverse().map(([x, , i]) => [x, series.low[i]])];
      here.reverse();
      image.append(svg("polygon", { points: edge.map(([x, y]) => `${X(x)},${Y(y)}`).join(" "), fill: stroke, opacity: 0.2 }));
    }
    if (series.mark !== 1) {
      let path = "", pen = false;
      for (const [x, y] of points) {
        const drawn = isShown(x, plot.x) && isShown(y, plot.y);
        if (drawn) path += `${pen ? "L" : "M"}${X(x).toFixed(2)} ${Y(y).toFixed(2)}`;
        pen = drawn;
      }
      image.append(svg("path", { d: path, fill: "none", stroke, "stroke-width": 2, "stroke-dasharray": dash(plot, series) }));
    }
    if (series.mark !== 0) for (const [x, y, i] of here) {
      if (interval && series.mark === 1)
        image.append(svg("path", { d: `M${X(x)} ${Y(series.low[i])}V${Y(series.high[i])}`, stroke, "stroke-width": 1.5 }));
      const point = series.measured ? svg("circle", { cx: X(x), cy: Y(y), r: 5, class: "measured", stroke, "stroke-width": 1.5 }) : shape(series.colour, X(x), Y(y), stroke);
      point.append(svg("title", {}, `${series.name ? series.name + ": " : ""}${plot.categories ? plot.categories[Math.round(x)] : show(x)}, ${show(y)}`));
      image.append(point);
    }
  }
  function shape(kind, x, y, fill) {
    const outlines = ["", "-4,-4 4,-4 4,4 -4,4", "0,-5 5,4 -5,4", "0,-5 5,0 0,5 -5,0", "-5,-4 5,-4 0,5"];
    if (kind % 5 === 0) return svg("circle", { cx: x, cy: y, r: 4, fill });
    return svg("polygon", { points: outlines[kind % 5].split(" ").map((p) => p.split(",")).map(([a, b]) => `${x + +a},${y + +b}`).join(" "), fill });
  }
  // Of a series, or, without one, of the level: 32 by 12.
  function drawSample(sample, plot, s) {
    if (!s) {
      sample.append(svg("path", { d: "M0 6H32", class: "level" }));
      return;
    }
    const stroke = colour(plot, s);
    if (s.mark !== 1) sample.append(svg("path", { d: "M0 6H32", stroke, "stroke-width": 2, "stroke-dasharray": dash(plot, s) }));
    if (s.measured) sample.append(svg("circle", { cx: 16, cy: 6, r: 4.5, class: "measured", stroke, "stroke-width": 1.5 }));
    else if (s.mark !== 0) sample.append(shape(s.colour, 16, 6, stroke));
  }
  // What does not stand at the ends of lines.
  function legend(plot, named) {
    const list = html("ul", undefined, "legend"), isNamed = (s) => named.some((e) => e.series === s);
    const add = (name, draw) => {
      const item = html("li"), sample = svg("svg", { viewBox: "0 0 32 12", "aria-hidden": "true" });
      draw(sample);
      item.append(sample, name);
      list.append(item);
    };
    for (const s of plot.series) if (s.name && !isNamed(s)) add(s.name, (sample) => drawSample(sample, plot, s));
    if (plot.level && plot.levelName && !isNamed(null)) add(plot.levelName, (sample) => drawSample(sample, plot, null));
    if (plot.grid) {
      const [least, most] = gridRange(plot.grid);
      [[0, least], [0.5, plot.grid.centre], [1, most]].forEach(([share, value]) => value &&
        add(`${plot.grid.label} ${show(value)}`, (sample) => sample.append(svg("rect", { width: 32, height: 12, fill: heat(share) }))));
    }
    return list;
  }

  const pictures = [];
  const watch = (figure, plot, marker) => { pictures.push(() => draw(figure, plot, marker)); draw(figure, plot, marker); };
  data.plots.forEach((plot, i) => watch(at("picture-" + i), plot));

  // ---- the engine
  async function start() {
    const bytes = Uint8Array.from(atob(at("engine").textContent.trim()), (c) => c.charCodeAt(0));
    const refuse = () => 8; // "bad file": the engine has no files
    const { instance } = await WebAssembly.instantiate(bytes, {
      wasi_snapshot_preview1: { fd_close: refuse, fd_seek: refuse, fd_write: refuse } });
    const engine = instance.exports;
    engine._initialize();
    return (q) => {
      const status = engine.clump_page_predict(q.P, q.N, q.U, q.demand, q.gang, q.mapping, q.m, q.f, q.V, q.h, q.c, q.T, q.ms, q.mf, q.ml);
      if (status !== 0) {
        const memory = new Uint8Array(engine.memory.buffer), from = engine.clump_page_message();
        return { message: new TextDecoder().decode(memory.slice(from, memory.indexOf(0, from))) };
      }
      const [X, , adjusted, active, used] = new Float64Array(engine.memory.buffer, engine.clump_page_answer(), 5);
      return { X, adjusted, active, used };
    };
  }

  // ---- the controls
  const sliders = ["P", "N", "U", "f", "V"], others = ["demand", "gang", "mapping", "m", "h", "c", "T", "ms", "mf", "ml"];
  const number = (id) => Number(at(id).value);
  // A box shows six digits of a number that a row has exactly; what somebody types is what it says.
  const exact = (box) => (box.value === box.dataset.shown ? Number(box.dataset.exact) : Number(box.value));
  function fit(box) {
    box.style.width = `calc(${Math.max(6, box.value.length)}ch + 2.8rem)`;
  }
  function question() {
    const q = {};
    for (const id of sliders) q[id] = exact(at(id + "-number"));
    for (const id of others) q[id] = at(id).type === "number" ? exact(at(id)) : number(id);
    return q;
  }
  function moveSlider(id, value) {
    const slider = at(id);
    if (value > Number(slider.max)) slider.max = id === "V" ? value : Math.ceil(value * 2);
    slider.value = value;
    slider.setAttribute("aria-valuetext", show(value));
  }
  function setBox(box, value) {
    box.value = box.dataset.shown = show(value);
    box.dataset.exact = value;
    box.title = value;
    fit(box);
  }
  function setSlider(id, value) {
    moveSlider(id, value);
    setBox(at(id + "-number"), value);
  }
  function load(base) {
    for (const id of sliders) setSlider(id, base[id]);
    for (const id of others) at(id).type === "number" ? setBox(at(id), base[id]) : at(id).value = base[id];
  }
  function verdict(x) {
    const percent = 100 * (x - 1);
    if (x >= 2) return `The Clump takes ${+x.toPrecision(3)} times as long as the NOW.`;
    if (Math.abs(percent) < 0.05) return "The Clump takes as long as the NOW.";
    return `The Clump takes ${Math.abs(percent).toFixed(1)}% ${percent > 0 ? "longer" : "less time"} than the NOW.`;
  }
  // Of what was measured elsewhere, 90% lie between these times the prediction (data.errors). What the inputs of a row add (base.inputs,
  // logarithms) is taken to be the same around it.
  function interval(q, x, base) {
    const kind = q.f > 0 ? (q.N < q.P ? "shared" : "each") : "one", factors = data.errors && data.errors[kind];
    if (!(q.P > 1) || !factors) return "";
    const inputs = (base && base.inputs) || [0, 0], low = x * Math.exp(-Math.hypot(Math.log(factors[0]), inputs[0])),
      high = x * Math.exp(Math.hypot(Math.log(factors[1]), inputs[1]));
    return ` 90% between ${low.toFixed(2)} and ${high.toFixed(2)}, by the model's errors elsewhere${inputs[1] > 0 || inputs[0] > 0 ? " and the intervals of the inputs" : "; inputs are taken as exact"}.`;
  }
  const optional = (v, text) => (Number.isFinite(v) ? text(v) : "-");
  function curve(ask, q, id, values, label, whole) {
    const y = values.map((v) => ask({ ...q, [id]: v }).X ?? null);
    return { x: { label, log: false, whole }, y: { label: "Slowdown X", log: false }, level: 1, levelName: "as fast as the NOW", ordered: false,
      series: [{ mark: whole && values.length <= 32 ? 2 : 0, colour: 0, x: values, y }] };
  }
  const live = { U: null, N: null };
  function update(ask, base) {
    const q = question(), a = ask(q);
    at("gang").hidden = q.demand !== at("demand").length - 1; // gangs are the last kind
    at("refused").hidden = !a.message;
    at("refused").textContent = a.message || "";
    at("answer").hidden = false;
    if (a.message) {
      at("slowdown").textContent = "-";
      at("slowdown").removeAttribute("data-exact");
      at("verdict").textContent = "";
      return;
    }
    at("slowdown").textContent = a.X < 1e6 ? a.X.toFixed(4) : a.X.toPrecision(6);
    at("slowdown").dataset.exact = a.X;
    at("verdict").textContent = verdict(a.X) + interval(q, a.X, base);
    at("nic-utilization").textContent = optional(a.used, (v) => (100 * v).toFixed(1) + "%");
    at("mean-active").textContent = optional(a.active, (v) => +v.toPrecision(4) + " of " + q.P);
    at("adjusted-utilization").textContent = optional(a.adjusted, (v) => String(+v.toPrecision(4)));
    const asInRow = base && base.X !== null && JSON.stringify(question()) === base.asked;
    at("differs").hidden = !(asInRow && Math.abs(a.X - base.X) > 1e-9 * base.X);
    at("differs-row").textContent = base && base.X !== null ? base.X.toFixed(4) : "";
    const many = q.P > 2000 || q.T > 0 ? 20 : 100;
    live.U = () => draw(at("over-U"), curve(ask, q, "U", Array.from({ length: many + 1 }, (_, i) => i / many), "Utilization U on the NOW", false), [q.U, a.X]);
    const most = Math.max(Number(at("N").max), q.N), step = Math.max(1, Math.ceil(most / 64));
    const counts = Array.from({ length: Math.floor((most - 1) / step) + 1 }, (_, i) => 1 + i * step);
    live.N = () => draw(at("over-N"), curve(ask, q, "N", counts, "NICs N in a node", true), [q.N, a.X]);
    live.U();
    live.N();
  }

  start().then((ask) => {
    const list = at("base");
    let base = data.bases[data.bases.length > 20 ? data.bases.length >> 1 : 0];
    data.bases.forEach((b, i) => {
      const option = html("option", b.name);
      option.value = i;
      option.selected = b === base;
      list.append(option);
    });
    const begin = () => {
      load(base);
      base.asked = JSON.stringify(question());
      update(ask, base);
    };
    list.addEventListener("change", () => { base = data.bases[list.value]; begin(); });
    for (const id of sliders) {
      at(id).addEventListener("input", () => { setSlider(id, number(id)); update(ask, base); });
      const box = at(id + "-number");
      box.addEventListener("input", () => {
        fit(box);
        if (box.validity.valid && box.value !== "") moveSlider(id, exact(box));
        update(ask, base);
      });
    }
    for (const id of others) at(id).addEventListener("input", () => {
      if (at(id).type === "number") fit(at(id));
      update(ask, base);
    });
    at("controls").addEventListener("submit", (event) => event.preventDefault());
    at("controls").hidden = false;
    begin();
  }).catch((problem) => {
    at("engine-failed").hidden = false;
    at("engine-failed").textContent = "The sliders do not work in this browser: " + problem.message;
  });

  // ---- tables that have more than shows: a shadow where it goes on, and a line below
  for (const frame of document.querySelectorAll(".frame")) {
    const box = frame.firstElementChild, table = box.firstElementChild, line = html("p", undefined, "more");
    frame.after(line);
    const look = () => {
      const sideways = box.scrollWidth > box.clientWidth + 1, down = box.scrollHeight > box.clientHeight + 1;
      frame.classList.toggle("to-right", box.scrollWidth - box.clientWidth - box.scrollLeft > 1);
      frame.classList.toggle("to-bottom", box.scrollHeight - box.clientHeight - box.scrollTop > 1);
      line.hidden = !sideways && !down;
      line.textContent = `Scroll ${sideways && down ? "sideways and down" : sideways ? "sideways" : "down"} for all of its ` +
        (sideways ? `${table.rows[0].cells.length} columns` : "") + (sideways && down ? " and " : "") + (down ? `${table.rows.length - 1} rows` : "") + ".";
    };
    box.addEventListener("scroll", look);
    new ResizeObserver(look).observe(box);
    look();
  }

  let waiting = false;
  const redraw = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; for (const picture of pictures) picture(); if (live.U) live.U(); if (live.N) live.N(); });
  };
  dark.addEventListener("change", redraw);
  addEventListener("resize", redraw);
})();
