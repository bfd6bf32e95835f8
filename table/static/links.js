// A link to give to somebody: its address to copy, and a way to it.

import { translate } from "./words.js";

/** A row with an address that can be copied, and followed if `go` says where it leads. */
export function linkRow(label, address, go = "") {
  const row = document.createElement("p");
  row.className = "row link";
  const field = document.createElement("input");
  field.value = address;
  field.readOnly = true;
  const labelled = document.createElement("label");
  labelled.append(`${label} `, field);
  const copy = document.createElement("button");
  copy.type = "button";
  copy.textContent = translate("Copy");
  copy.addEventListener("click", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(address);
    } catch {
      document.execCommand("copy");  // a page from another machine without https has no clipboard
    }
    copy.textContent = translate("Copied");
  });
  row.append(labelled, copy);
  if (go) {
    const link = document.createElement("a");
    link.href = address;
    link.textContent = go;
    row.append(link);
  }
  return row;
}
