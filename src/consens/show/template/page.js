"use strict";
// Draws what depends on the number of clusters from the data in the page.  Names from the data
// only ever become text nodes and attribute values, never markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const partitions = new Map(data.partitions.map((p, i) => [p.n_clusters, { ...p, index: i }]));
  const chosen = data.answer.n_clusters;
  const $ = (selector) => document.querySelector(selector);
  const number = (x) => x.toLocaleString("en");
  const two = (x) => (x === null ? "–" : x.toFixed(2));

  function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children.filter((child) => child !== null));
    return node;
  }
  const element = (tag, attributes = {}, ...children) =>
    fill(document.createElement(tag), attributes, children);
  const shape = (tag, attributes = {}, ...children) =>
    fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

  const colorOf = (partition, label) => {
    const cluster = partition.clusters.find((c) => c.label === label);
    return label < 0 || !cluster ? "var(--none)" : `var(--c${cluster.color % 10})`;
  };
  const dot = (color) => element("i", { class: "dot", style: `background: ${color}` });
  const named = (partition, label) =>
    element("span", {}, dot(colorOf(partition, label)), label < 0 ? "none" : String(label));

  function bar(share, text, color) {
    const inner = element("span", { style: `width: ${(100 * share).toFixed(1)}%` });
    if (color) inner.style.background = color;
    return [element("span", { class: "bar", "aria-hidden": "true" }, inner), text];
  }

  function feature(f) {
    const up = f.difference > 0;
    const sign = element("b", { class: up ? "up" : "down" },
      `${up ? "▲" : "▼"} ${Math.abs(f.difference).toFixed(1)}`);
    const help = `mean ${f.mean}, of all others ${f.others}`;
    return element("span", { class: "feature", title: help }, `${f.name} `, sign);
  }

  function clusterRow(partition, cluster, total) {
    const share = cluster.size / total;
    const telling = cluster.features.filter((f) => Math.abs(f.difference) >= 0.3).slice(0, 3);
    const words = telling.length ? telling.map(feature)
      : [element("span", { class: "note" }, cluster.features.length ? "hardly differs from the rest" : "")];
    return element("tr", {},
      element("th", { scope: "row" }, dot(colorOf(partition, cluster.label)), String(cluster.label)),
      element("td", {}, ...bar(share, `${number(cluster.size)} (${Math.round(100 * share)} %)`,
        colorOf(partition, cluster.label))),
      element("td", {}, ...bar(cluster.confidence ?? 0, two(cluster.confidence))),
      element("td", {}, ...words));
  }

  function drawClusters(partition) {
    const total = data.data.n_objects;
    const rows = partition.clusters.map((c) => clusterRow(partition, c, total));
    if (partition.n_not_listed) {
      rows.push(element("tr", {}, element("td", { colspan: 4 },
        `and ${number(partition.n_not_listed)} smaller clusters`)));
    }
    if (partition.n_unclustered) {
      rows.push(element("tr", {},
        element("th", { scope: "row" }, dot("var(--none)"), "none"),
        element("td", {}, ...bar(partition.n_unclustered / total, number(partition.n_unclustered))),
        element("td", {}), element("td", {}, "in no cluster of any clustering")));
    }
    $(".clusters tbody").replaceChildren(...rows);
  }

  function profile(cluster, color) {
    const [width, height] = [300, 46];
    const points = cluster.profile.map((value, i) =>
      `${(i * width / (cluster.profile.length - 1)).toFixed(1)},${(height * (1 - value)).toFixed(1)}`);
    return shape("svg", {
      viewBox: `0 0 ${width} ${height}`, role: "img", preserveAspectRatio: "none",
      "aria-label": `confidence from ${two(cluster.profile[0])} down to ${two(cluster.profile.at(-1))}`,
    },
    shape("polygon", { points: `0,${height} ${points.join(" ")} ${width},${height}`, style: `fill: ${color}; opacity: .85` }),
    shape("line", { x1: 0, x2: width, y1: height / 2, y2: height / 2, style: "stroke: var(--ink); stroke-dasharray: 4 3; stroke-width: 1" }));
  }

  function featureBars(cluster) {
    const widest = Math.max(1.5, ...cluster.features.map((f) => Math.abs(f.difference)));
    const cells = cluster.features.flatMap((f) => {
      const half = 50 * Math.abs(f.difference) / widest;
      const left = f.difference > 0 ? 50 : 50 - half;
      const inner = element("i", { style: `left: ${left.toFixed(1)}%; width: ${half.toFixed(1)}%` });
      const value = (f.difference > 0 ? "+" : "−") + Math.abs(f.difference).toFixed(1);
      return [
        element("span", { title: `mean ${f.mean}, of all others ${f.others}` }, f.name),
        element("span", { class: "track", "aria-hidden": "true" }, inner),
        element("span", {}, value),
      ];
    });
    return element("div", { class: "bars" }, ...cells);
  }

  function card(partition, cluster) {
    const color = colorOf(partition, cluster.label);
    const facts = [`${number(cluster.size)} objects`];
    if (cluster.confidence !== null) facts.push(`confidence ${two(cluster.confidence)}`);
    if (cluster.n_fence) facts.push(`${number(cluster.n_fence)} on the fence`);
    const node = element("article", { class: "card", style: `--own: ${color}` },
      element("h3", {}, `Cluster ${cluster.label}`),
      element("p", {}, facts.join(", ")),
      partition.n_clusters > 1 ? profile(cluster, color) : null,
      cluster.features.length ? featureBars(cluster) : null,
      element("p", {}, element("small", {}, "Clearest: "), cluster.typical.join(", ")));
    if (cluster.nearest) {
      node.append(element("p", {}, element("small", {}, "Together: "),
        `${two(cluster.cohesion)} inside, ${two(cluster.nearest.association)} with cluster ${cluster.nearest.label}`));
    }
    return node;
  }

  function drawMatrix(partition) {
    const place = $(".matrix > div");
    const matrix = partition.matrix;
    if (!matrix) {
      place.replaceChildren(element("p", {}, "Too many clusters to draw."));
      return;
    }
    const b = matrix.labels.length;
    const cell = 400 / b;
    const parts = [];
    matrix.percent.forEach((row, i) => row.forEach((percent, j) => {
      if (percent < 2) return;
      parts.push(shape("rect", {
        x: (j * cell).toFixed(2), y: (i * cell).toFixed(2),
        width: (cell + 0.15).toFixed(2), height: (cell + 0.15).toFixed(2), opacity: percent / 100,
      }));
    }));
    const bars = [];
    for (let start = 0; start < b;) {
      let end = start;
      while (end < b && matrix.labels[end] === matrix.labels[start]) end += 1;
      const label = matrix.labels[start];
      const [from, length] = [start * cell, (end - start) * cell];
      const style = `fill: ${colorOf(partition, label)}`;
      bars.push(shape("rect", { x: from, y: -14, width: Math.max(1, length - 1), height: 9, style }));
      bars.push(shape("rect", { x: -14, y: from, width: 9, height: Math.max(1, length - 1), style }));
      if (length > 11) {
        const text = label < 0 ? "none" : String(label);
        bars.push(shape("text", { x: from + length / 2, y: -19, "text-anchor": "middle" }, text));
        bars.push(shape("text", { x: -19, y: from + length / 2 + 4, "text-anchor": "end" }, text));
      }
      start = end;
    }
    place.replaceChildren(shape("svg", {
      viewBox: "-40 -34 442 436", role: "img",
      "aria-label": `Consensus matrix, ${partition.n_clusters} clusters`,
    },
    shape("rect", { x: 0, y: 0, width: 400, height: 400, style: "fill: none; stroke: var(--line)" }),
    shape("g", { style: "fill: var(--fill)", "shape-rendering": "crispEdges" }, ...parts),
    shape("g", { style: "fill: var(--ink); font-size: 12px" }, ...bars)));
  }

  function drawFence(partition) {
    const { n, objects } = partition.fence;
    const share = Math.round(100 * n / data.data.n_objects);
    let text = "No object: each is at least one and a half times as often together with its own cluster as with any other.";
    if (partition.n_clusters < 2) text = "With one cluster there is no fence.";
    if (n) {
      text = `${number(n)} object${n > 1 ? "s" : ""} (${share} %) would fit another cluster nearly as well`
        + (n > objects.length ? `; the ${objects.length} least clear ones:` : ":");
    }
    $(".fence-text").textContent = text;
    $("table.fence").hidden = !n;
    $("table.fence tbody").replaceChildren(...objects.map((o) => element("tr", {},
      element("td", {}, o.id),
      element("td", {}, named(partition, o.label)),
      element("td", {}, named(partition, o.other)),
      element("td", {}, two(o.confidence)),
      element("td", {}, `${two(o.own)} / ${two(o.towards)}`))));
  }

  function find(partition) {
    const input = $(".find input");
    const place = $(".found");
    const wanted = input.value.trim().toLowerCase();
    if (!data.objects || !wanted) {
      place.replaceChildren();
      return;
    }
    const { ids, labels, confidence } = data.objects;
    const hits = [];
    for (let i = 0; i < ids.length && hits.length <= 12; i += 1) {
      if (ids[i].toLowerCase().includes(wanted)) hits.push(i);
    }
    hits.sort((a, b) => (ids[b].toLowerCase() === wanted) - (ids[a].toLowerCase() === wanted) || a - b);
    const rows = hits.slice(0, 12).map((i) => element("tr", {},
      element("td", {}, ids[i]),
      element("td", {}, named(partition, labels[partition.index][i])),
      element("td", {}, two(confidence[partition.index][i]))));
    const head = element("tr", {}, ...["Object", "Cluster", "Confidence"].map((t) => element("th", { scope: "col" }, t)));
    place.replaceChildren(
      hits.length ? element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows))
        : element("p", { class: "note" }, "No such object."),
      hits.length > 12 ? element("p", { class: "note" }, "More objects match: type more of the id.") : "");
  }

  let shown = partitions.get(chosen);
  function show(k) {
    shown = partitions.get(k);
    document.documentElement.dataset.k = k;
    drawClusters(shown);
    $(".cards").replaceChildren(...shown.clusters.map((c) => card(shown, c)));
    drawMatrix(shown);
    drawFence(shown);
    find(shown);
    for (const row of document.querySelectorAll(".numbers tbody tr")) {
      row.classList.toggle("shown", Number(row.dataset.k) === k);
    }
    $(".state").textContent = k === chosen
      ? `The consensus has ${k}; the others show what ${partitions.size > 2 ? "more or fewer" : "another number"} would give.`
      : `Shown: ${k} ${k > 1 ? `clusters, mean confidence ${two(shown.confidence)}` : "cluster"}. The consensus has ${chosen}.`;
  }

  for (const input of document.querySelectorAll(".k input")) {
    input.addEventListener("change", () => show(Number(input.value)));
  }
  document.querySelector("form.k").addEventListener("submit", (event) => event.preventDefault());
  $(".find").addEventListener("submit", (event) => event.preventDefault());
  $(".find input").addEventListener("input", () => find(shown));
  const checked = $(".k input:checked");
  show(checked ? Number(checked.value) : chosen);
})();
