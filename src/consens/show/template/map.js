"use strict";
// Make HTML elements and SVG shapes.
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children.filter((child) => child !== null));
  return node;
}
const element = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);
const shape = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// The map: points on a canvas, in colours for light and dark pages, with numbers and rings on top
// in SVG.  Names only become text nodes.
const CLUSTER_MARKS = ["circle", "square", "triangle", "diamond", "cross", "plus"];
const clusterMark = (index) => CLUSTER_MARKS[(index + Math.floor(index / 30)) % 6];
const NO_CLUSTER = "#8a929c";
const clusterColors = [];
const clusterColor = (index) => clusterColors[index % clusterColors.length];

const OUTLINES = {
  square: [[-1, -1], [1, -1], [1, 1], [-1, 1]],
  triangle: [[0, -1.25], [1.2, 0.9], [-1.2, 0.9]],
  diamond: [[0, -1.35], [1.35, 0], [0, 1.35], [-1.35, 0]],
  plus: [[-0.45, -1.3], [0.45, -1.3], [0.45, -0.45], [1.3, -0.45], [1.3, 0.45], [0.45, 0.45],
    [0.45, 1.3], [-0.45, 1.3], [-0.45, 0.45], [-1.3, 0.45], [-1.3, -0.45], [-0.45, -0.45]],
};
OUTLINES.cross = OUTLINES.plus.map(([x, y]) => [(x - y) * 0.75, (x + y) * 0.75]);

// Corners of a marker of radius r around (x, y), in SVG notation.
const outline = (mark, x, y, r) =>
  OUTLINES[mark].map(([dx, dy]) => `${(x + 0.9 * r * dx).toFixed(1)},${(y + 0.9 * r * dy).toFixed(1)}`).join(" ");

// Decode integers from 0 to 4095, two base-64 digits each.
const unpack = (() => {
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const value = new Uint8Array(128);
  for (let i = 0; i < 64; i += 1) value[digits.charCodeAt(i)] = i;
  return (text, less = 0) => {
    const numbers = new Int16Array(text.length / 2);
    for (let i = 0; i < numbers.length; i += 1) {
      numbers[i] = 64 * value[text.charCodeAt(2 * i)] + value[text.charCodeAt(2 * i + 1)] - less;
    }
    return numbers;
  };
})();

// Make a map in `place`: draw(clusters) shows a partition, light(label) highlights a cluster,
// light(mask) some objects, ring(list) marks objects, describe(i) returns the lines of the tooltip
// of an object, and press(i) is called for the object that is clicked.
function makeMap(place, plane, describe, press) {
  const [x, y] = [unpack(plane.x), unpack(plane.y)];
  const n = x.length;
  const canvas = place.querySelector("canvas");
  const tip = place.querySelector(".tip");
  const radius = n > 5000 ? 1.7 : n > 1500 ? 2.4 : n > 400 ? 3 : 4;
  const px = new Float32Array(n);
  const py = new Float32Array(n);
  let [width, height] = [0, 0];
  let [clusters, only, ringed, near] = [null, null, [], -1];

  const above = shape("svg", { "aria-hidden": "true" });
  place.insertBefore(above, tip);

  function measure() {
    width = Math.max(240, place.clientWidth);
    const tall = plane.aspect === null ? 0.56 * width : (width - 28) / plane.aspect + 28;
    height = Math.round(Math.min(plane.most, 0.8 * width, Math.max(200, tall)));
    const scale = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.getContext("2d").setTransform(scale, 0, 0, scale, 0, 0);
    above.setAttribute("viewBox", `0 0 ${width} ${height}`);
    let [w, h] = [width - 28, height - 28];
    if (plane.aspect !== null) [w, h] = w / h > plane.aspect ? [h * plane.aspect, h] : [w, w / plane.aspect];
    for (let i = 0; i < n; i += 1) {
      px[i] = (width - w) / 2 + w * x[i] / 1000;
      py[i] = (height + h) / 2 - h * y[i] / 1000;
    }
  }

  function paint() {
    const { labels, confidence, colors, several } = clusters;
    const pen = canvas.getContext("2d");
    pen.clearRect(0, 0, width, height);
    const faded = (i) => only !== null && (typeof only === "number" ? labels[i] !== only : !only[i]);
    // one path for each cluster and level of confidence, and for what is not highlighted
    const groups = new Map();
    for (let i = 0; i < n; i += 1) {
      const level = several && labels[i] >= 0
        ? Math.round(5 * Math.min(1, Math.max(0.2, (confidence[i] / 1000 - 0.4) / 0.5))) : 4;
      const key = labels[i] * 16 + level + (faded(i) ? 0 : 8);
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(i);
    }
    for (const key of [...groups.keys()].sort((a, b) => (a & 15) - (b & 15))) {
      const label = key >> 4;
      const index = label < 0 ? -1 : colors(label);
      pen.fillStyle = label < 0 || index < 0 ? NO_CLUSTER : clusters.shade?.(label) ?? clusterColor(index);
      pen.globalAlpha = (key & 8 ? 1 : 0.12) * (key & 7) / 5;
      const mark = index < 0 ? "circle" : clusterMark(index);
      const r = index < 0 ? 0.75 * radius : radius;
      pen.beginPath();
      groups.get(key).forEach((i, drawn) => {
        if (drawn % 128 === 127) {  // filling one path of thousands of markers is far slower
          pen.fill();
          pen.beginPath();
        }
        if (mark === "circle") {
          pen.moveTo(px[i] + r, py[i]);
          pen.arc(px[i], py[i], r, 0, 7);
        } else {
          OUTLINES[mark].forEach(([dx, dy], p) =>
            pen[p ? "lineTo" : "moveTo"](px[i] + 0.9 * r * dx, py[i] + 0.9 * r * dy));
          pen.closePath();
        }
      });
      pen.fill();
    }
    pen.globalAlpha = 1;
  }

  function overlay() {
    const middle = (list) => list.sort((a, b) => a - b)[list.length >> 1];
    // the number of a cluster is at the point nearest to its median
    const inmost = (list) => {
      const [mx, my] = [middle(list.map((i) => px[i])), middle(list.map((i) => py[i]))];
      const away = (i) => (px[i] - mx) ** 2 + (py[i] - my) ** 2;
      return list.reduce((best, i) => (away(i) < away(best) ? i : best));
    };
    const members = new Map();
    for (let i = 0; i < n; i += 1) {
      const label = clusters.labels[i];
      if (label < 0) continue;
      if (!members.has(label)) members.set(label, []);
      members.get(label).push(i);
    }
    const names = [...members].slice(0, 60).map(([label, list]) => {
      const i = inmost(list);
      const opacity = typeof only !== "number" || only === label ? 1 : 0.25;
      return shape("text", { x: px[i].toFixed(1), y: (py[i] + 5).toFixed(1), opacity }, clusters.text(label));
    });
    const rings = [...ringed, ...(near < 0 ? [] : [near])].map((i) =>
      shape("circle", { cx: px[i].toFixed(1), cy: py[i].toFixed(1), r: radius + 4 }));
    above.replaceChildren(...names, ...rings);
  }

  function point(event) {
    const box = canvas.getBoundingClientRect();
    const [mx, my] = [(event.clientX - box.left) * width / box.width, (event.clientY - box.top) * height / box.height];
    let [found, least] = [-1, 14 * 14];
    for (let i = 0; i < n; i += 1) {
      const distance = (px[i] - mx) ** 2 + (py[i] - my) ** 2;
      if (distance < least) [found, least] = [i, distance];
    }
    if (found === near) return;
    near = found;
    overlay();
    tip.hidden = near < 0;
    if (near < 0) return;
    tip.replaceChildren(...describe(near));
    const [left, top] = [px[near] * box.width / width, py[near] * box.height / height];
    tip.style.left = `${Math.min(Math.max(0, left - tip.offsetWidth / 2), box.width - tip.offsetWidth)}px`;
    tip.style.top = `${top > tip.offsetHeight + 16 ? top - tip.offsetHeight - 12 : top + 14}px`;
  }
  place.addEventListener("pointermove", point);
  place.addEventListener("pointerdown", point);
  canvas.addEventListener("click", () => {
    if (near >= 0) press(near);
  });
  place.addEventListener("pointerleave", () => {
    near = -1;
    tip.hidden = true;
    overlay();
  });

  function redraw() {
    if (clusters === null) return;
    measure();
    paint();
    overlay();
  }
  new ResizeObserver(() => {
    if (Math.max(240, place.clientWidth) !== width) redraw();
  }).observe(place);

  return {
    draw(partition) {
      [clusters, only, near] = [partition, null, -1];
      tip.hidden = true;
      redraw();
    },
    light(label) {
      if (label === only) return;
      only = label;
      paint();
      overlay();
    },
    ring(objects) {
      ringed = objects;
      overlay();
    },
  };
}
