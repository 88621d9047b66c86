// Downloads of figures and tables, and a copy of the page with the names of clusters.  All of it
// happens in the browser.

// The page as it was written, before anything is drawn: what a saved copy is made of.
const pristine = document.documentElement.cloneNode(true);

function saveFile(name, content) {
  const link = element("a", { href: URL.createObjectURL(content), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
const fileName = (text, suffix) => {
  const words = text.replace(/[^\p{L}\p{N}.]+/gu, "-").replace(/^[-.]+|-+$/g, "").slice(0, 60);
  return `${words || "report"}.${suffix}`;
};

// A figure as SVG that needs no page: colours of the light page, size and font written out.
function figureText(figure) {
  const canvas = figure.querySelector("canvas");
  const copy = figure.querySelector("svg:not(.dot)").cloneNode(true);
  const [left, top, width, height] = copy.getAttribute("viewBox").split(" ").map(Number);
  if (canvas) {
    for (const text of copy.querySelectorAll("text")) {
      text.setAttribute("style", "font: 600 14px sans-serif; text-anchor: middle; fill: var(--ink); paint-order: stroke; stroke: var(--page); stroke-width: 4px");
    }
    copy.prepend(shape("image", { href: canvas.toDataURL(), width, height }));
  }
  copy.prepend(shape("rect", { x: left, y: top, width, height, style: "fill: var(--page)" }));
  fill(copy, { width, height, "font-family": "sans-serif" }, []);
  copy.removeAttribute("style");
  const light = document.styleSheets[0].cssRules[0].style;
  return new XMLSerializer().serializeToString(copy)
    .replace(/var\((--[a-z]+)\)/g, (variable, name) => light.getPropertyValue(name).trim() || variable);
}

async function figureImage(figure) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(figureText(figure))}`;
  await image.decode();
  const canvas = element("canvas", { width: 2 * image.width, height: 2 * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done));
}

// The cells of a table as text, with cells over several rows repeated in each.
function tableCells(table) {
  const shown = [...table.rows].filter((row) => !row.classList.contains("reason"));
  const rows = shown.map(() => []);
  shown.forEach((row, i) => {
    let j = 0;
    for (const cell of row.cells) {
      while (rows[i][j] !== undefined) j += 1;
      const text = cell.textContent.trim().replace(/\s+/g, " ");
      for (let down = 0; down < cell.rowSpan; down += 1) rows[i + down][j] = text;
      j += 1;
    }
  });
  return rows;
}

function tableText(table) {
  const quoted = (text) => {
    // a spreadsheet would run text that looks like a formula
    const safe = /^[=+@\t-]/.test(text) && !/^[-+]?[\d.,]+( %)?$/.test(text) ? `'${text}` : text;
    return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return tableCells(table).map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";
}

function addDownloads(title) {
  const button = (kind, what, act) => {
    const node = element("button", { type: "button", "aria-label": `Download ${what} as ${kind}` }, kind);
    node.addEventListener("click", act);
    return node;
  };
  for (const figure of document.querySelectorAll("figure[data-file]")) {
    const name = `${title} ${figure.dataset.file}`;
    (figure.querySelector(".below") ?? figure).append(element("div", { class: "tools" },
      button("SVG", figure.dataset.file, () =>
        saveFile(fileName(name, "svg"), new Blob([figureText(figure)], { type: "image/svg+xml" }))),
      button("PNG", figure.dataset.file, async () =>
        saveFile(fileName(name, "png"), await figureImage(figure)))));
  }
  for (const table of document.querySelectorAll("table[data-file]")) {
    const place = table.closest(".scroll") ?? table;
    place.after(element("div", { class: "tools" },
      button("CSV", table.dataset.file, () => saveFile(
        fileName(`${title} ${table.dataset.file}`, "csv"),
        new Blob(["\ufeff", tableText(table)], { type: "text/csv" })))));
  }
}

// The page with other data for its scripts.
function pageText(data) {
  const copy = pristine.cloneNode(true);
  copy.querySelector("#data").textContent = JSON.stringify(data).replaceAll("<", "\\u003c");
  return `<!doctype html>\n${copy.outerHTML}\n`;
}
