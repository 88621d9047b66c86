// Draws the parts of the page that depend on the number of clusters.  Names from the data only
// become text nodes and attribute values, never markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const partitions = new Map(data.partitions.map((p, i) => [p.n_clusters, {
    ...p, index: i, colors: new Map(p.clusters.map((c) => [c.label, c.color])),
  }]));
  // Cluster, confidence and runner-up of every object, unpacked on first use.
  const known = [];
  const objectsIn = (index) => {
    known[index] ??= {
      labels: unpack(data.objects.labels[index], 1),
      confidence: unpack(data.objects.confidence[index]),
      second: unpack(data.objects.runner_up[index], 1),
    };
    return known[index];
  };
  const chosen = data.answer.n_clusters;
  clusterColors.push(...data.colors);
  const $ = (selector) => document.querySelector(selector);
  const number = (x) => x.toLocaleString("en");
  const two = (x) => (x === null ? "–" : x.toFixed(2));

  const colorIndex = (partition, label) => partition.colors.get(label) ?? -1;
  const colorOf = (partition, label) => {
    const index = colorIndex(partition, label);
    return index < 0 ? NO_CLUSTER : clusterColor(index);
  };
  // Colour and marker of a cluster, as on the map.
  function dot(partition, label) {
    const index = colorIndex(partition, label);
    const mark = index < 0 ? "circle" : clusterMark(index);
    const style = `fill: ${colorOf(partition, label)}`;
    return shape("svg", { class: "dot", viewBox: "0 0 16 16", "aria-hidden": "true" },
      mark === "circle" ? shape("circle", { cx: 8, cy: 8, r: 6, style })
        : shape("polygon", { points: outline(mark, 8, 8, 6), style }));
  }
  // Names of clusters that the reader typed, or that the clusterings use, by number of clusters.
  const nameOf = (partition, label) => data.names[partition.n_clusters]?.[label]
    ?? partition.clusters.find((c) => c.label === label)?.name ?? "";
  const titleOf = (partition, label) => {
    const name = nameOf(partition, label);
    return label < 0 ? "none" : name ? `${label} ${name}` : String(label);
  };
  const named = (partition, label) => element("span", {}, dot(partition, label), titleOf(partition, label));

  function bar(share, text, color) {
    const inner = element("span", { style: `width: ${(100 * share).toFixed(1)}%` });
    if (color) inner.style.background = color;
    return [element("span", { class: "bar", "aria-hidden": "true" }, inner), text];
  }

  // A button that marks a cluster (c3) or a group of the tree (n0-2) on the map, until it is pressed
  // again.
  const pinButton = (key, ...content) => element("button",
    { type: "button", class: "pin", "data-pin": key, "aria-pressed": "false", title: "Mark on the map" }, ...content);
  function pin(key) {
    pinned = null;
    const [first, end] = (key ?? "").slice(1).split("-").map(Number);
    if (key?.startsWith("c")) pinned = painted === null ? first : objectsIn(shown.index).labels.map((own) => Number(own === first));
    if (key?.startsWith("n")) pinned = unpack(data.leaves, 1).map((leaf) => Number(leaf >= first && leaf < end));
    for (const button of document.querySelectorAll(".pin")) {
      button.setAttribute("aria-pressed", String(button.dataset.pin === key));
    }
    map.light(pinned);
  }
  document.addEventListener("click", (event) => {
    const button = event.target.closest(".pin");
    if (!button) return;
    const on = button.getAttribute("aria-pressed") !== "true";
    pin(on ? button.dataset.pin : null);
    const { top, bottom } = $(".map").getBoundingClientRect();
    if (on && (bottom < 80 || top > window.innerHeight - 80)) $(".map").scrollIntoView({ block: "center" });
  });

  function clusterRow(partition, cluster, total) {
    const share = cluster.size / total;
    return element("tr", { "data-label": cluster.label },
      element("th", { scope: "row" }, pinButton(`c${cluster.label}`, dot(partition, cluster.label), titleOf(partition, cluster.label))),
      element("td", {}, ...bar(share, `${number(cluster.size)} (${Math.round(100 * share)} %)`,
        colorOf(partition, cluster.label))),
      element("td", {}, ...bar(cluster.confidence ?? 0, two(cluster.confidence))),
      element("td", {}, `${two(cluster.stability)} ${cluster.verdict}`),
      element("td", {}, cluster.words));
  }

  function drawClusters(partition) {
    const total = data.data.n_objects;
    const rows = partition.clusters.map((c) => clusterRow(partition, c, total));
    if (partition.n_not_listed) {
      rows.push(element("tr", {}, element("td", { colspan: 5 },
        `and ${number(partition.n_not_listed)} smaller clusters`)));
    }
    if (partition.n_unclustered) {
      rows.push(element("tr", {},
        element("th", { scope: "row" }, dot(partition, -1), "none"),
        element("td", {}, ...bar(partition.n_unclustered / total, number(partition.n_unclustered))),
        element("td", {}), element("td", {}), element("td", {}, "Noise: in no cluster of most clusterings.")));
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

  // A long name may break after _ rather than within a word.
  const breaking = (name, attributes = {}) => element("span", attributes,
    ...name.split(/(?<=_)/).flatMap((part) => [part, element("wbr")]));

  // Distribution of each distinctive feature in the cluster, on the range of all objects.
  function featureBars(cluster) {
    const cells = cluster.features.flatMap((f) => {
      const low = Math.min(f.range[0], f.own[0]);
      const span = Math.max(f.range[4], f.own[4]) - low || 1;
      const at = (value) => (200 * (value - low) / span).toFixed(1);
      const wide = (from, to) => Math.max(1, 200 * (to - from) / span).toFixed(1);
      const [p5, p25, p50, p75, p95] = f.own;
      const wording = {
        day: (v) => new Date(864e5 * v).toISOString().slice(0, 10),
        share: (v) => `${Math.round(100 * v)} %`,
        number: (v) => v.toLocaleString("en", { maximumSignificantDigits: 3 }),
      }[f.kind];
      if (f.kind === "share") {
        const bar = shape("svg", {
          viewBox: "0 0 200 20", preserveAspectRatio: "none", role: "img",
          "aria-label": `${wording(f.mean)}, others ${wording(f.others)}`,
        },
        shape("rect", { x: 0, width: 200, y: 7, height: 6, style: "fill: var(--line)" }),
        shape("rect", { x: 0, width: 200 * f.mean, y: 4, height: 12, style: "fill: var(--own)" }),
        shape("rect", { x: 198 * f.others, width: 2, y: 1, height: 18, style: "fill: var(--ink)" }));
        return [breaking(f.name), bar, element("span", {}, wording(f.mean))];
      }
      const strip = shape("svg", {
        viewBox: "0 0 200 20", preserveAspectRatio: "none", role: "img",
        "aria-label": `median ${wording(p50)}, half of the cluster between ${wording(p25)} and ${wording(p75)}`,
      },
      shape("rect", { x: at(f.range[0]), width: wide(f.range[0], f.range[4]), y: 7, height: 6, style: "fill: var(--line)" }),
      shape("rect", { x: at(p5), width: wide(p5, p95), y: 9, height: 2, style: "fill: var(--own)" }),
      shape("rect", { x: at(p25), width: wide(p25, p75), y: 4, height: 12, style: "fill: var(--own)" }),
      shape("rect", { x: at(p50), width: 2, y: 1, height: 18, style: "fill: var(--ink)" }));
      return [
        breaking(f.name, { title: `mean ${wording(f.mean)}, others ${wording(f.others)}` }), strip,
        element("span", {}, wording(p50)),
      ];
    });
    return element("div", { class: "bars" }, ...cells);
  }

  function card(partition, cluster) {
    const color = colorOf(partition, cluster.label);
    const facts = [`${number(cluster.size)} objects`];
    if (cluster.confidence !== null) facts.push(`confidence ${two(cluster.confidence)}`);
    if (cluster.n_fence) facts.push(`${number(cluster.n_fence)} borderline`);
    const heading = element("span", {}, `Cluster ${titleOf(partition, cluster.label)}`);
    const pin = pinButton(`c${cluster.label}`, dot(partition, cluster.label), heading);
    const input = element("input", { value: nameOf(partition, cluster.label), maxlength: 60, autocomplete: "off", spellcheck: "false" });
    input.addEventListener("input", () => {
      (data.names[partition.n_clusters] ??= {})[cluster.label] = input.value.trim();
      heading.textContent = `Cluster ${titleOf(partition, cluster.label)}`;
      drawNames(partition);
    });
    const node = element("article", { class: "card", style: `--own: ${color}`, "data-label": cluster.label },
      element("h3", {}, pin),
      element("label", { class: "naming" }, "Name", input),
      element("p", {}, facts.join(", ")),
      partition.n_clusters > 1 ? profile(cluster, color) : null,
      cluster.features.length ? featureBars(cluster) : null,
      element("p", {}, element("small", {}, "Most certain: "), cluster.typical.join(", ")));
    if (cluster.nearest) {
      node.append(element("p", {}, element("small", {}, "Co-association: "),
        `${two(cluster.cohesion)} inside, ${two(cluster.nearest.association)} with cluster ${cluster.nearest.label}`));
    }
    return node;
  }

  // Colour scale of the consensus matrix.
  function colorBar() {
    const steps = Array.from({ length: 20 }, (_, i) => shape("rect", {
      x: 200 + 10 * i, y: 412, width: 10.2, height: 9, style: "fill: var(--fill)", opacity: (i + 0.5) / 20,
    }));
    const texts = [["0 %", 200, "start"], ["together in 100 %", 400, "end"]].map(([text, x, anchor]) =>
      shape("text", { x, y: 436, "text-anchor": anchor }, text));
    return [...steps, ...texts];
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
    // cells of the same percentage form one shape: a hundred instead of thousands
    const side = (cell + 0.15).toFixed(2);
    const levels = new Map();
    matrix.percent.forEach((row, i) => row.forEach((percent, j) => {
      if (percent < 2) return;
      const square = `M${(j * cell).toFixed(2)} ${(i * cell).toFixed(2)}h${side}v${side}h-${side}z`;
      levels.set(percent, (levels.get(percent) ?? "") + square);
    }));
    const parts = [...levels].map(([percent, d]) => shape("path", { d, opacity: percent / 100 }));
    const bars = [];
    const wanted = [];
    for (let start = 0; start < b;) {
      let end = start;
      while (end < b && matrix.labels[end] === matrix.labels[start]) end += 1;
      const label = matrix.labels[start];
      const [from, length] = [start * cell, (end - start) * cell];
      const style = `fill: ${colorOf(partition, label)}`;
      bars.push(shape("rect", { x: from, y: -14, width: Math.max(1, length - 1), height: 9, style }));
      bars.push(shape("rect", { x: -14, y: from, width: 9, height: Math.max(1, length - 1), style }));
      const text = label < 0 ? "none" : String(label);
      if (length > 11) bars.push(shape("text", { x: from + length / 2, y: -19, "text-anchor": "middle" }, text));
      wanted.push({ text, middle: from + length / 2 });
      start = end;
    }
    // the labels of small clusters move apart, with lines to their bars
    const gap = Math.min(11, 400 / wanted.length);
    let last = -Infinity;
    for (const one of wanted) last = one.y = Math.max(one.middle, last + gap);
    last = 400 + gap / 2;
    for (const one of wanted.toReversed()) last = one.y = Math.min(one.y, last - gap);
    for (const { text, middle, y } of wanted) {
      const size = Math.max(5, Math.min(12, gap + 1));
      if (Math.abs(y - middle) > 1) bars.push(shape("line", { x1: -15, y1: middle, x2: -20, y2: y }));
      bars.push(shape("text", { x: -21, y: y + size / 3, "text-anchor": "end", style: `font-size: ${size}px` }, text));
    }
    place.replaceChildren(shape("svg", {
      viewBox: "-40 -34 442 474", role: "img",
      "aria-label": `Consensus matrix, ${partition.n_clusters} clusters`,
    },
    shape("rect", { x: 0, y: 0, width: 400, height: 400, style: "fill: none; stroke: var(--line)" }),
    shape("g", { style: "fill: var(--fill)", "shape-rendering": "crispEdges" }, ...parts),
    shape("g", { style: "fill: var(--ink); font-size: 12px" }, ...bars, ...colorBar())));
  }

  // Why objects are in their clusters: known for the clusters of the consensus.
  const reasons = new Map(data.reasons.objects.map((one) => [one[0], one]));
  const place = new Map();  // of objects whose id no other has
  data.objects.ids.forEach((id, i) => place.set(id, place.has(id) ? undefined : i));
  function reason(i) {
    const { labels, confidence, second } = objectsIn(partitions.get(chosen).index);
    const [own, other] = [labels[i], second[i]];
    const title = (label) => titleOf(partitions.get(chosen), label);
    const head = element("p", {}, element("strong", {}, data.objects.ids[i]), own < 0 ? " is in no cluster: most clusterings call it noise, or none has it."
      : ` is in cluster ${title(own)}${chosen > 1 ? `, confidence ${two(confidence[i] / 1000)}` : ""}. `);
    if (own < 0 || chosen < 2) return [head];
    const known = reasons.get(i);
    if (!known) {
      head.append(`This page explains the ${number(reasons.size)} least certain objects; consens why explains all.`);
      return [head];
    }
    const [, prefer, members, few, ...sides] = known;
    if (second[i] < 0) {
      head.append("No clustering puts it together with objects of another cluster.");
      return [head];
    }
    head.append(`The runner-up is cluster ${title(other)}, which ${number(prefer)} of ${number(members)} clusterings prefer`
      + (few.length ? `: ${few.map((m) => data.members[m] ?? m).join(", ")}${prefer > few.length ? ` and ${number(prefer - few.length)} more` : ""}.` : "."));
    const lists = sides.map((pulls, side) => pulls.length ? element("div", {},
      element("p", {}, "Towards cluster ", named(partitions.get(chosen), side ? other : own)),
      element("ul", {}, ...pulls.map(([feature, value, a, b]) => element("li", {},
        `${data.reasons.features[feature]} ${value}`, a === undefined ? "" : element("small", {}, ` means ${a} and ${b}`))))) : null);
    return [head, element("div", { class: "pulls" }, ...lists)];
  }
  function explain(i) {
    $(".reason").hidden = i === null;
    if (i === null) return;
    const close = element("button", { type: "button", class: "close", "aria-label": "Close" }, "×");
    close.addEventListener("click", () => explain(null));
    const other = shown.n_clusters === chosen ? "" : element("p", { class: "note" }, `For the ${chosen} clusters of the consensus:`);
    $(".reason").replaceChildren(close, other, ...reason(i));
  }
  // A cell with the id of an object; pressing it shows or hides the reason in a row below.
  function askedCell(id, i) {
    if (i === undefined) return element("td", {}, id);
    const button = element("button", { type: "button", class: "asked", "aria-expanded": "false", title: "Why?" }, id);
    button.addEventListener("click", () => {
      const row = button.closest("tr");
      const open = button.getAttribute("aria-expanded") === "true";
      button.setAttribute("aria-expanded", String(!open));
      if (open) row.nextSibling.remove();
      else row.after(element("tr", { class: "reason" }, element("td", { colspan: 4 }, ...reason(i))));
    });
    return element("td", {}, button);
  }

  function drawFence(partition) {
    const { n, objects } = partition.fence;
    const share = Math.round(100 * n / data.data.n_objects);
    let text = "None: most refits put every object in the same cluster.";
    if (partition.n_clusters < 2) text = "With a single cluster, no object is borderline.";
    if (n) {
      text = `${number(n)} object${n > 1 ? "s" : ""} (${share} %) would be in another cluster in at least four refits of ten`
        + (n > objects.length ? `; the ${objects.length} least certain ones:` : ":");
    }
    $(".fence-text").textContent = text;
    $("table.fence").hidden = !n;
    $("table.fence tbody").replaceChildren(...objects.map((o) => element("tr", {},
      askedCell(o.id, place.get(o.id)),
      element("td", {}, named(partition, o.label)),
      element("td", {}, named(partition, o.other)),
      element("td", {}, two(o.confidence)))));
  }

  function find(partition) {
    const place = $(".found");
    const wanted = $(".find input").value.trim().toLowerCase();
    const { ids } = data.objects;
    const { labels, confidence, second } = objectsIn(partition.index);
    const hits = [];
    for (let i = 0; wanted && i < ids.length && hits.length < 200; i += 1) {
      if (ids[i].toLowerCase().includes(wanted)) hits.push(i);
    }
    map.ring(hits);
    if (!wanted) {
      place.replaceChildren();
      return;
    }
    hits.sort((a, b) => (ids[b].toLowerCase() === wanted) - (ids[a].toLowerCase() === wanted) || a - b);
    const rows = hits.slice(0, 12).map((i) => element("tr", {},
      askedCell(ids[i], i),
      element("td", {}, named(partition, labels[i])),
      element("td", {}, two(confidence[i] / 1000)),
      element("td", {}, named(partition, second[i]))));
    const head = element("tr", {}, ...["Object", "Cluster", "Confidence", "Runner-up"].map((t) => element("th", { scope: "col" }, t)));
    place.replaceChildren(
      hits.length ? element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows))
        : element("p", { class: "note" }, "No such object."),
      hits.length > 12 ? element("p", { class: "note" }, "There are more matches; type more of the id.") : "");
  }

  function drawHints(partition) {
    $(".hints ul").replaceChildren(...partition.hints.map((text) => element("li", {}, text)));
    $(".hints").hidden = !partition.hints.length;
  }

  // Cluster sizes of each candidate as a stacked bar.
  for (const button of document.querySelectorAll(".candidate")) {
    const partition = partitions.get(Number(button.dataset.k));
    button.querySelector(".sizes").append(...partition.clusters.map((c) => {
      const bar = element("b");
      bar.style.background = colorOf(partition, c.label);
      return element("i", { style: `flex-grow: ${c.size}`, title: `cluster ${c.label}: ${number(c.size)}` },
        bar, c.size > 0.08 * data.data.n_objects ? number(c.size) : "");
    }));
    button.addEventListener("click", () => {
      const input = $(`.k input[value="${button.dataset.k}"]`);
      input.checked = true;
      show(Number(input.value));
    });
  }

  for (const part of document.querySelectorAll(".splits i")) {
    part.firstChild.style.background = colorOf(partitions.get(chosen), Number(part.dataset.cluster));
  }

  // What colours the points of the map: the clusters, or an annotation.
  function view(partition) {
    const annotation = data.annotations[painted];
    if (!annotation) {
      return {
        ...objectsIn(partition.index),
        colors: (label) => colorIndex(partition, label), several: partition.n_clusters > 1,
        text: (label) => (nameOf(partition, label) ? titleOf(partition, label).replace(/^(.{23}).{2,}/u, "$1…") : label),
      };
    }
    annotation.labels ??= unpack(annotation.codes, 1);
    const numbers = annotation.kind === "numbers";
    return {
      labels: annotation.labels, confidence: annotation.labels, several: false,
      colors: numbers ? () => 0 : (code) => code, shade: numbers ? shade : undefined,
      text: () => "",
    };
  }
  // Colours from low to high values, visible on light and dark pages.
  const scale = [5, 0, 4, 3, 1].map((i) => data.colors[i].match(/\w\w/g).map((part) => parseInt(part, 16)));
  function shade(code) {
    const at = Math.min(3.999, code / 9 * 4);
    const [from, to] = [scale[Math.floor(at)], scale[Math.floor(at) + 1]];
    return `rgb(${from.map((part, i) => Math.round(part + (at % 1) * (to[i] - part))).join(" ")})`;
  }
  function legend() {
    const annotation = data.annotations[painted];
    if (!annotation) return [];
    if (annotation.kind === "numbers") {
      const swatches = Array.from({ length: 10 }, (_, i) => element("i", { style: `background: ${shade(i)}` }));
      return [element("span", {}, annotation.levels[0]), element("span", {}, ...swatches),
        element("span", {}, annotation.levels.at(-1)), element("span", {}, `(median ${annotation.levels[5]})`)];
    }
    const colors = { colors: new Map(annotation.levels.map((_, i) => [i, i])) };
    return annotation.levels.map((level, i) => element("span", {}, dot(colors, i), level));
  }

  // Everything with names of clusters, except for the cards, where they are typed.
  function drawNames(partition) {
    map.draw(view(partition));
    drawClusters(partition);
    drawFence(partition);
    find(partition);
    for (const cell of document.querySelectorAll(".cluster-name")) {
      cell.dataset.label ??= cell.textContent;
      cell.textContent = titleOf(partitions.get(Number(cell.dataset.k)), Number(cell.dataset.label));
    }
  }

  let shown = partitions.get(chosen);
  let pinned = null;
  let painted = null;
  const map = makeMap($(".map"), { ...data.map, most: Math.min(480, 270 + 8 * Math.max(0, chosen - 12)) }, (i) => {
    const own = objectsIn(shown.index);
    const [label, second] = [own.labels[i], own.second[i]];
    const sure = `confidence ${two(own.confidence[i] / 1000)}`;
    return [
      element("strong", {}, data.objects.ids[i]),
      element("span", {}, label < 0 ? "in no cluster" : shown.n_clusters > 1 ? `cluster ${titleOf(shown, label)}, ${sure}` : `cluster ${label}`),
      second < 0 || label < 0 ? null : element("span", {}, `runner-up: cluster ${titleOf(shown, second)}`),
      ...data.annotations.slice(0, 6).map((a) => {
        a.labels ??= unpack(a.codes, 1);
        const known = a.kind === "categories" && a.labels[i] >= 0;
        return known ? element("span", {}, `${a.name}: ${a.levels[a.labels[i]]}`) : null;
      }),
    ].filter((line) => line !== null);
  }, (i) => explain(i));
  const lit = (event) => {
    const node = event.target.closest("[data-label]");
    if (painted === null) map.light(node ? Number(node.dataset.label) : pinned);
  };
  document.addEventListener("pointerover", lit);
  document.addEventListener("focusin", lit);

  function show(k) {
    shown = partitions.get(k);
    document.documentElement.dataset.k = k;
    explain(null);
    drawNames(shown);
    $(".cards").replaceChildren(...shown.clusters.map((c) => card(shown, c)));
    pin(null);
    drawMatrix(shown);
    drawHints(shown);
    for (const button of document.querySelectorAll(".candidate")) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.k) === k));
    }
    for (const row of document.querySelectorAll(".numbers tbody tr")) {
      row.classList.toggle("shown", Number(row.dataset.k) === k);
    }
    $(".state").textContent = k === chosen
      ? `The consensus has ${k > 1 ? `${k} clusters` : "1 cluster"}. Choose another number to see that partition.`
      : `Shown: ${k > 1 ? `${k} clusters, mean confidence ${two(shown.confidence)}` : "1 cluster"}. The consensus has ${chosen}.`;
  }

  for (const input of document.querySelectorAll(".k input")) {
    input.addEventListener("change", () => show(Number(input.value)));
  }
  document.querySelector("form.k").addEventListener("submit", (event) => event.preventDefault());
  $(".find").addEventListener("submit", (event) => event.preventDefault());
  $(".find input").addEventListener("input", () => find(shown));
  const checked = $(".k input:checked");
  const paint = $(".paint select");
  if (paint) {
    paint.addEventListener("change", () => {
      painted = paint.value === "" ? null : Number(paint.value);
      map.draw(view(shown));
      pin(null);
      $(".legend").replaceChildren(...legend());
    });
  }
  show(checked ? Number(checked.value) : chosen);
  addDownloads(data.title);
  $(".save").hidden = false;
  $(".save button").addEventListener("click", () =>
    saveFile(fileName(data.title, "html"), new Blob([pageText({ ...data, annotations: data.annotations.map(({ labels, ...kept }) => kept) })], { type: "text/html" })));
})();
