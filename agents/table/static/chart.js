// Lines over steps as SVG: the course of a game's values, learning curves.

import { drawn, figure } from "./page.js";

const WIDTH = 720, LEFT = 58, RIGHT = 14, TOP = 12, BOTTOM = 34;
const DASHES = ["", "7 4", "2 3", "9 3 2 3"];

/**
 * A chart of some lines.
 *
 * series: [{name, points: [[x, y, low or null, high or null], ...], steps: whether a value holds to the next}]
 * options: {height, x, y: titles of the axes, label: what it shows, zero: a level that is drawn, at: an x that is marked,
 *           onPick: (x) -> called with the nearest x of a click}
 */
export function lineChart(series, options = {}) {
  const height = options.height ?? 220;
  const points = series.flatMap((each) => each.points).filter((point) => point[1] !== null);
  const xs = points.map((point) => point[0]);
  const ys = points.flatMap((point) => [point[1], point[2] ?? point[1], point[3] ?? point[1]]);
  if (options.zero !== undefined) ys.push(options.zero);
  const [left, right] = ends(xs, options.integer), [low, high] = ends(ys);
  const atX = (x) => LEFT + ((WIDTH - LEFT - RIGHT) * (x - left)) / (right - left);
  const atY = (y) => height - BOTTOM - ((height - TOP - BOTTOM) * (y - low)) / (high - low);
  const root = drawn("svg", {
    viewBox: `0 0 ${WIDTH} ${height}`, class: "chart", role: "img", "aria-label": options.label ?? "chart",
  });
  for (const tick of ticks(low, high)) {
    root.append(
      drawn("path", { d: `M${LEFT} ${atY(tick)}H${WIDTH - RIGHT}`, class: tick === options.zero ? "level" : "grid" }),
      drawn("text", { x: LEFT - 6, y: atY(tick) + 4, class: "tick end" }, figure(tick)),
    );
  }
  for (const tick of ticks(left, right, options.integer)) {
    root.append(drawn("text", { x: atX(tick), y: height - BOTTOM + 16, class: "tick middle" }, figure(tick)));
  }
  if (options.x) root.append(drawn("text", { x: WIDTH - RIGHT, y: height - 4, class: "tick end" }, options.x));
  if (options.y) root.append(drawn("text", { x: LEFT, y: height - 4, class: "tick" }, options.y));
  series.forEach((each, number) => {
    const known = each.points.filter((point) => point[1] !== null);
    const band = known.filter((point) => point[2] !== null && point[2] !== undefined && point[3] !== null);
    if (band.length > 1) {
      const above = band.map((point) => `${atX(point[0])} ${atY(point[3])}`);
      const below = band.map((point) => `${atX(point[0])} ${atY(point[2])}`).reverse();
      root.append(drawn("path", { d: `M${[...above, ...below].join("L")}Z`, class: `band series${number % 4}` }));
    }
    let line = "";
    known.forEach((point, index) => {
      const before = known[index - 1];
      if (!index) line = `M${atX(point[0])} ${atY(point[1])}`;
      else line += each.steps ? `H${atX(point[0])}V${atY(point[1])}` : `L${atX(point[0])} ${atY(point[1])}`;
      if (each.steps && before === undefined && known.length === 1) line += "h1";
    });
    root.append(drawn("path", {
      d: line || "M0 0", class: `line series${number % 4}`, "stroke-dasharray": DASHES[number % 4],
    }));
    if (known.length <= 60) {
      for (const point of known) {
        const dot = drawn("circle", { cx: atX(point[0]), cy: atY(point[1]), r: 3.2, class: `dot series${number % 4}` });
        dot.append(drawn("title", {}, `${each.name}: ${figure(point[1])}`));
        root.append(dot);
      }
    }
  });
  if (options.at !== undefined && options.at >= left && options.at <= right) {
    root.append(drawn("path", { d: `M${atX(options.at)} ${TOP}V${height - BOTTOM}`, class: "now" }));
  }
  if (options.onPick) {
    root.classList.add("picked");
    root.addEventListener("click", (event) => {
      const box = root.getBoundingClientRect();
      const x = left + (((event.clientX - box.left) / box.width) * WIDTH - LEFT) * ((right - left) / (WIDTH - LEFT - RIGHT));
      options.onPick(xs.reduce((best, each) => (Math.abs(each - x) < Math.abs(best - x) ? each : best), xs[0]));
    });
  }
  return root;
}

/** The names of some lines, each with the line it has. */
export function legend(series) {
  const root = document.createElement("ul");
  root.className = "legend";
  series.forEach((each, number) => {
    const item = document.createElement("li");
    const line = drawn("svg", { viewBox: "0 0 34 8", width: 34, height: 8, "aria-hidden": "true" });
    line.append(drawn("path", { d: "M0 4H34", class: `line series${number % 4}`, "stroke-dasharray": DASHES[number % 4] }));
    item.append(line, document.createTextNode(each.name));
    root.append(item);
  });
  return root;
}

function ends(values, whole) {
  if (!values.length) return [0, 1];
  let low = Math.min(...values), high = Math.max(...values);
  if (low === high) [low, high] = [low - (whole ? 1 : Math.abs(low) / 10 || 1), high + (whole ? 1 : Math.abs(high) / 10 || 1)];
  return [low, high];
}

/** Round numbers in a range, about six. */
function ticks(low, high, whole) {
  const rough = (high - low) / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  let step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough * 0.999);
  if (whole) step = Math.max(1, Math.round(step));
  const found = [];
  for (let number = Math.ceil(low / step - 1e-9); number * step <= high + 1e-9 * step; number++) {
    found.push(Number((number * step).toPrecision(12)));
  }
  return found;
}
