// Lines over steps as SVG: the course of a game's values, learning curves.

import { drawn, figure } from "./page.js";

const WIDEST = 720, LEFT = 58, RIGHT = 14, TOP = 12, BOTTOM = 34;
const MOST_DOTS = 60;

/**
 * A chart of one line.
 *
 * points: [[x, y or null, low or null, high or null, hollow], ...]; the ends of intervals are drawn as a band; whether
 *         the dot is hollow may be left out.
 * options: {height, x, y: titles of the axes, label: what it shows, level: a value that is drawn as a line, at: an x that is marked,
 *           integer: whether each x is a whole number, steps: whether a value holds to the next,
 *           onPick: (x) -> called with the nearest x of a click}
 */
export function lineChart(points, options = {}) {
  const height = options.height ?? 220;
  // Letters keep their size on narrow screens.
  const width = Math.max(300, Math.min(WIDEST, document.documentElement.clientWidth - 32));
  const known = points.filter((point) => point[1] !== null);
  const xs = known.map((point) => point[0]);
  const ys = known.flatMap((point) => [point[1], point[2] ?? point[1], point[3] ?? point[1]]);
  if (options.level !== undefined) ys.push(options.level);
  const [left, right] = ends(xs, options.integer), [low, high] = ends(ys);
  const atX = (x) => LEFT + ((width - LEFT - RIGHT) * (x - left)) / (right - left);
  const atY = (y) => height - BOTTOM - ((height - TOP - BOTTOM) * (y - low)) / (high - low);
  const root = drawn("svg", {
    viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": options.label ?? "chart",
  });
  for (const tick of ticks(low, high)) {
    root.append(
      drawn("path", { d: `M${LEFT} ${atY(tick)}H${width - RIGHT}`, class: "grid" }),
      drawn("text", { x: LEFT - 6, y: atY(tick) + 4, class: "tick end" }, figure(tick)),
    );
  }
  for (const tick of ticks(left, right, options.integer)) {
    root.append(drawn("text", { x: atX(tick), y: height - BOTTOM + 16, class: "tick middle" }, figure(tick)));
  }
  if (options.level !== undefined) {
    root.append(drawn("path", { d: `M${LEFT} ${atY(options.level)}H${width - RIGHT}`, class: "level" }));
  }
  if (options.x) root.append(drawn("text", { x: width - RIGHT, y: height - 4, class: "tick end" }, options.x));
  if (options.y) root.append(drawn("text", { x: LEFT, y: height - 4, class: "tick" }, options.y));
  const band = known.filter((point) => typeof point[2] === "number" && typeof point[3] === "number");
  if (band.length > 1) {
    const above = band.map((point) => `${atX(point[0])} ${atY(point[3])}`);
    const below = band.map((point) => `${atX(point[0])} ${atY(point[2])}`).reverse();
    root.append(drawn("path", { d: `M${[...above, ...below].join("L")}Z`, class: "band" }));
  }
  const line = known.map(([x, y], number) => {
    if (!number) return `M${atX(x)} ${atY(y)}`;
    return options.steps ? `H${atX(x)}V${atY(y)}` : `L${atX(x)} ${atY(y)}`;
  });
  if (line.length) root.append(drawn("path", { d: line.join(""), class: "line" }));
  if (known.length <= MOST_DOTS) {
    for (const [x, y, , , hollow] of known) {
      root.append(drawn("circle", { cx: atX(x), cy: atY(y), r: 3.2, class: hollow ? "dot hollow" : "dot" }, drawn("title", {}, figure(y))));
    }
  }
  if (options.at !== undefined && options.at >= left && options.at <= right) {
    root.append(drawn("path", { d: `M${atX(options.at)} ${TOP}V${height - BOTTOM}`, class: "now" }));
  }
  if (options.onPick) {
    root.classList.add("picked");
    root.addEventListener("click", (event) => {
      const box = root.getBoundingClientRect();
      const x = left + (((event.clientX - box.left) / box.width) * width - LEFT) * ((right - left) / (width - LEFT - RIGHT));
      options.onPick(xs.reduce((best, each) => (Math.abs(each - x) < Math.abs(best - x) ? each : best), xs[0]));
    });
  }
  return root;
}

function ends(values, whole) {
  if (!values.length) return [0, 1];
  let low = Math.min(...values), high = Math.max(...values);
  // Values that differ in their last digits only are one: no tick lies between them.
  if (high - low <= 1e-9 * Math.max(Math.abs(low), Math.abs(high))) [low, high] = [low - (whole ? 1 : Math.abs(low) / 10 || 1), high + (whole ? 1 : Math.abs(high) / 10 || 1)];
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
