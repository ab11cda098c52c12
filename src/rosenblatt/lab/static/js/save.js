// Files for the visitor: pictures of a view, texts, and the clipboard.

const DRAWN = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "fill-opacity", "stroke-opacity",
  "font-family", "font-size", "font-style", "font-weight", "text-anchor", "stroke-linecap", "stroke-linejoin", "display", "visibility"];

export function saveFile(name, kind, content) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: kind }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// The picture with its style sheet's colours written into it, so that it stands alone.
export function standalone(picture) {
  const copy = picture.cloneNode(true);
  const originals = [picture, ...picture.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((node, k) => {
    const style = getComputedStyle(originals[k]);
    for (const name of DRAWN) {
      const value = style.getPropertyValue(name);
      if (value && value !== "none" || name === "fill" || name === "stroke") node.setAttribute(name, value);
    }
    for (const name of ["class", "role", "tabindex", "aria-label"]) node.removeAttribute(name);
  });
  const { width, height } = picture.viewBox.baseVal;
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  const colour = getComputedStyle(picture.closest(".card") ?? picture).backgroundColor;
  for (const [name, value] of Object.entries({ width, height, fill: colour })) paper.setAttribute(name, value);
  copy.prepend(paper);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  return new XMLSerializer().serializeToString(copy);
}

export async function asPng(picture, scale = 2) {
  const { width, height } = picture.viewBox.baseVal;
  const address = URL.createObjectURL(new Blob([standalone(picture)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width * scale;
    canvas.height = height * scale;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done) => { canvas.toBlob(done, "image/png"); });
  } finally { URL.revokeObjectURL(address); }
}

export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch { return false; }
}

// This page once more, with another experiment to begin with.
export function pageOf(page, fragment) {
  const head = page.head.cloneNode(true);
  const [script] = page.querySelectorAll("script:not([src])[type=module]");
  const content = JSON.stringify({ title: page.title, pages: [{ title: page.title, fragment }], fixed: false }).replaceAll("<", "\\u003c");
  return `<!doctype html>\n<html lang="en">\n${head.outerHTML}\n<body>\n<div id="lab"></div>\n<template></template>\n`
    + `<script type="application/json" id="content">${content}</script>\n<script type="module">${script.textContent}</script>\n</body>\n</html>\n`;
}
