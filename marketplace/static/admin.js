"use strict";

// The server's response to the text of a skill or a persona.
const post = (url, content) => {
  const body = new FormData();
  body.set("content", content);
  body.set("csrfmiddlewaretoken", document.querySelector("[name=csrfmiddlewaretoken]").value);
  return fetch(url, { method: "POST", body });
};

// The Markdown preview beside the content.
const addPreview = (content, preview) => {
  const editor = document.createElement("div");
  editor.className = "markdown-editor";
  content.before(editor);
  editor.append(content, preview);

  let timer, latest = 0;
  const show = async () => {
    const number = ++latest;
    const response = await post(preview.dataset.url, content.value);
    // A slow response for an earlier text must not replace that for a later one.
    if (response.ok && number === latest) preview.innerHTML = await response.text();
  };
  content.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(show, 300);
  });
  if (content.value) show();
};

// A whole file that is pasted or dropped fills the fields that are still empty.
const fillFromFile = (content, status) => {
  content.closest(".markdown-editor").before(status);
  status.hidden = false;

  const fill = async () => {
    if (!content.value.startsWith("---")) return;
    const text = content.value;
    const response = await post(status.dataset.url, text);
    const read = await response.json().catch(() => ({ error: "The frontmatter could not be read." }));
    if (content.value !== text) return;
    if (read.error) return void (status.textContent = read.error);
    const filled = Object.entries(read.fields).filter(([name, value]) => setField(name, value));
    if (read.content !== text) content.value = read.content;
    content.dispatchEvent(new Event("input"));
    const labels = filled.map(([name]) => labelOf(name));
    status.textContent = labels.length
      ? `Filled from the frontmatter: ${labels.join(", ")}.`
      : "The frontmatter has no values for the empty fields.";
  };
  const takeFile = async (event, files) => {
    if (!files.length) return void setTimeout(fill);
    event.preventDefault();
    content.value = (await files[0].text()).replace(/\r\n?/g, "\n");
    content.dispatchEvent(new Event("input"));
    await fill();
  };
  content.addEventListener("paste", (event) => takeFile(event, event.clipboardData.files));
  content.addEventListener("drop", (event) => takeFile(event, event.dataTransfer.files));

  const setField = (name, value) => {
    const field = content.form.elements[name];
    if (!field || !value.length) return false;
    if (field.multiple) {
      if (field.selectedOptions.length) return false;
      field.append(...value.map(([key, text]) => new Option(text, key, true, true)));
    } else {
      // A price of 0 is what the form begins with.
      if (!["", "0"].includes(field.value) || field.value === value) return false;
      field.value = value;
    }
    // The slug stays as it is now, whatever the title becomes.
    field.dispatchEvent(new Event("change", { bubbles: true }));
    return true;
  };
  const labelOf = (name) =>
    content.form.querySelector(`label[for=id_${name}]`).firstChild.textContent.trim().toLowerCase();
};

// A copy button below what is shown once, if the browser has a clipboard.
const addCopy = (secret) => {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "staff-button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(secret.textContent.trim());
    button.textContent = "Copied";
  });
  const buttons = document.createElement("div");
  buttons.className = "staff-buttons";
  buttons.append(button);
  secret.after(buttons);
};

// Suggestions for the last item of a list that is separated by commas.
const suggestItems = (field) => {
  const values = [...field.list.options].map((option) => option.value);
  field.addEventListener("input", () => {
    const before = field.value.replace(/[^,]*$/, "");
    const items = before.split(",").map((item) => item.trim());
    const left = values.filter((value) => !items.includes(value));
    const options = left.map((value) => new Option("", before + value));
    field.list.replaceChildren(...options);
  });
};

const MAX_FILES = 1000;
// [path, file] of what lies below a folder, without what no import takes.
const filesOf = async (entry, below = "") => {
  if (/^\.|^(node_modules|__pycache__|__MACOSX)$/.test(entry.name)) return [];
  const path = below + entry.name;
  if (entry.isFile) {
    return [[below && path, await new Promise((resolve, reject) => entry.file(resolve, reject))]];
  }
  const reader = entry.createReader(), files = [];
  for (;;) {
    // A reader gives a hundred at a time.
    const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!entries.length || files.length > MAX_FILES) return files;
    for (const inner of entries) files.push(...await filesOf(inner, `${path}/`));
  }
};

// What is dropped, as [path, file]; a file that lies in no folder has no path.
const droppedFiles = async ({ items, files }) => {
  // Before the first await, after which the event has no items.
  const plain = [...files].map((file) => ["", file]);
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
  const inFolders = await Promise.all(entries.map((entry) => filesOf(entry)));
  return entries.length ? inFolders.flat() : plain;
};

// A folder, a zip or files that are dropped are sent at once: nothing is written before the preview.
const addDropZone = (zone) => {
  const folder = zone.querySelector("input"), status = zone.querySelector("[role=status]");
  const { form } = folder, { file: input, paths } = form.elements;
  zone.hidden = false;
  folder.hasChangeListener = true; // so that the theme does not look for its own markup around it

  const send = (files) => {
    if (!files.length) return void (status.textContent = "It contains no files.");
    if (files.length > MAX_FILES) {
      return void (status.textContent = `You can drop at most ${MAX_FILES} files. Drop a zip instead.`);
    }
    const transfer = new DataTransfer();
    files.forEach(([, file]) => transfer.items.add(file));
    input.files = transfer.files;
    const names = files.map(([path, file]) => path || (files.length > 1 ? file.name : ""));
    paths.value = JSON.stringify(names);
    form.requestSubmit();
  };

  zone.addEventListener("dragover", (event) => event.preventDefault());
  zone.addEventListener("dragenter", () => zone.classList.add("is-over"));
  zone.addEventListener("dragleave", () => zone.classList.remove("is-over"));
  zone.addEventListener("drop", async (event) => {
    event.preventDefault();
    zone.classList.remove("is-over");
    send(await droppedFiles(event.dataTransfer));
  });
  folder.addEventListener("change", () => {
    send([...folder.files].filter(({ webkitRelativePath: path }) => !/\/\.|\/node_modules\//.test(path))
      .map((file) => [file.webkitRelativePath, file]));
  });
  // Files that are chosen one by one lie in no folder.
  input.addEventListener("change", () => (paths.value = ""));
};

// A decision is sent once. The browser asks before it leaves a reason that was not sent.
const guardDecision = (form, reason) => {
  let isSent = false;
  form.addEventListener("submit", (event) => (isSent ? event.preventDefault() : (isSent = true)));
  window.addEventListener("pageshow", () => (isSent = false));
  window.addEventListener("beforeunload", (event) => {
    if (reason.value.trim() && !isSent) event.preventDefault();
  });
};

// The desk of submissions: a key for each thing that staff do forty times.
const addDeskKeys = (desk) => {
  const form = desk.querySelector("form"), reject = desk.querySelector("details");
  const publish = desk.querySelector("[value=publish]"), reason = desk.querySelector("textarea");
  const follow = (rel) => () => desk.querySelector(`[rel=${rel}]`)?.click();

  // After p, Enter publishes. Any other key, such as Space to read on, takes that back.
  const disarm = (event) => {
    if (event.key !== "Enter") publish.blur();
    if (event.key === " ") window.scrollBy({ top: 0.8 * window.innerHeight });
  };
  const arm = () => {
    publish.focus({ preventScroll: true });
    publish.addEventListener("keydown", disarm, { once: true });
  };
  const write = () => {
    reject.open = true;
    reason.focus({ preventScroll: true });
  };
  const leave = (target) => {
    target.blur();
    reject.open = reason.value.trim() !== "";
  };
  const keys = { n: follow("next"), j: follow("next"), k: follow("prev") };
  if (form) {
    Object.assign(keys, { p: arm, r: write });
    reject.addEventListener("toggle", () => reject.open && write());
    guardDecision(form, reason);
  }
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (form && key === "Escape" && desk.contains(target)) leave(target);
    if (target === reason && key === "Enter" && (event.ctrlKey || event.metaKey)) {
      form.querySelector("[value=reject]").click();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[key]) return;
    if (target.matches("textarea, select, input:not([type=checkbox])")) return;
    event.preventDefault();
    keys[key]();
  });
};

// The theme draws its icons with words, which a reader would read out, and has buttons that are
// only for a mouse.
const ICON_NAMES = { more_horiz: "More", storefront: "Dashboard", unfold_more: "Account" };
const nameIcons = () => {
  document.querySelectorAll("span.material-symbols-outlined").forEach((icon) => {
    const word = icon.textContent.trim(), name = ICON_NAMES[word] ?? word.replaceAll("_", " ");
    const button = icon.closest("a, button, [x-on\\:click]");
    if (button?.textContent.trim() === word) button.ariaLabel ||= button.title || name;
    if (button !== icon) icon.ariaHidden = "true";
  });
};
const addKeys = (element) => {
  element.tabIndex = 0;
  element.role = "button";
  element.addEventListener("keydown", (event) => {
    if (event.target !== element || !["Enter", " "].includes(event.key)) return;
    event.preventDefault();
    element.click();
  });
};

document.addEventListener("DOMContentLoaded", () => {
  // Not what is closed by a click beside it.
  document.querySelectorAll("nav > [x-on\\:click], #nav-sidebar div > [x-on\\:click], #changelist a[x-on\\:click], .login [x-on\\:click], [x-ref^=relatedWidget]")
    .forEach((element) => element.matches("a[href], button, nav") || addKeys(element));
  nameIcons();
  const desk = document.getElementById("desk");
  if (desk) addDeskKeys(desk);
  if (navigator.clipboard) document.querySelectorAll(".staff-token").forEach(addCopy);
  const zone = document.getElementById("dropzone");
  if (zone) addDropZone(zone);
  document.querySelectorAll("input[list=used-tags]:not(#id_new)").forEach(suggestItems);
  const preview = document.getElementById("markdown-preview");
  const content = document.getElementById("id_content");
  const pasted = document.getElementById("pasted");
  if (preview && content) addPreview(content, preview);
  if (pasted && content) fillFromFile(content, pasted);
});

// The files of a skill: fields for each that somebody changes or drops.
const addFileRows = (section) => {
  const rows = section.querySelector("#file-rows"), template = section.querySelector("#file-row");
  const total = section.querySelector("[name=files-TOTAL_FORMS]");
  if (!rows) return;
  const pathOf = (link) => decodeURIComponent(link.dataset.file);
  const paths = [...section.querySelectorAll("a[data-file]")].map(pathOf);

  const addRow = (path = "", was = "") => {
    const holder = document.createElement("div");
    holder.innerHTML = template.innerHTML.replaceAll("__prefix__", total.value);
    const row = holder.firstElementChild, field = (name) => row.querySelector(`[name$="-${name}"]`);
    total.value = Number(total.value) + 1;
    field("path").value = path;
    field("was").value = was;
    if (was) {
      row.querySelector("summary b").textContent = `Change ${was}`;
      field("remove").closest("[hidden]").hidden = false;
    }
    row.open = true;
    rows.append(row);
    return { row, field };
  };
  const rowOf = (path) =>
    [...rows.querySelectorAll('[name$="-was"]')].find((input) => input.value === path)?.closest("details");

  const change = async (link) => {
    const path = pathOf(link), open = rowOf(path);
    if (open) return void (open.open = true, open.querySelector('[name$="-path"]').focus());
    let text = null;
    if ("text" in link.dataset) {
      const address = path.split("/").map(encodeURIComponent).join("/");
      const response = await fetch(`${section.dataset.address}/${address}?download`);
      if (!response.ok) return void (location.href = link.href);
      text = await response.text();
    }
    const { row, field } = addRow(path, path);
    if (text === null) field("text").closest("div").remove();
    else field("text").value = field("text").defaultValue = text;
    field(text === null ? "path" : "text").focus();
    row.scrollIntoView({ block: "nearest" });
  };
  section.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-file]");
    if (!link || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    change(link);
  });

  const add = document.createElement("button");
  add.type = "button";
  add.className = "staff-button";
  add.textContent = "Add a file";
  add.addEventListener("click", () => addRow().field("path").focus());
  rows.after(add);
  rows.querySelectorAll("details:not([open])").forEach((row) => row.remove());

  section.addEventListener("dragover", (event) => event.preventDefault());
  section.addEventListener("dragenter", () => section.classList.add("is-over"));
  section.addEventListener("dragleave", () => section.classList.remove("is-over"));
  section.addEventListener("drop", async (event) => {
    if (event.target.matches("input[type=file]")) return;
    event.preventDefault();
    section.classList.remove("is-over");
    for (const [path, file] of await droppedFiles(event.dataTransfer)) {
      const name = path.replace(/^[^/]*\//, "") || file.name;
      const { field } = addRow(name, paths.includes(name) ? name : "");
      const transfer = new DataTransfer();
      transfer.items.add(file);
      field("upload").files = transfer.files;
      field("text").closest("div").remove();
    }
    section.dispatchEvent(new Event("input", { bubbles: true }));
  });
};

// The buttons say what a save does: a changed text makes a version, anything else does not.
const showWhatSaveDoes = (label) => {
  const form = label.closest("button").form, names = label.dataset.fields.split(" ");
  const fields = names.map((name) => form.elements[name]).filter(Boolean);
  const more = form.elements._continue;
  const before = fields.map((field) => field.value);
  const isChanged = (row) => {
    const value = (name) => row.querySelector(`[name$="-${name}"]`)?.value ?? "";
    const text = row.querySelector("textarea");
    return value("path") !== value("was") || value("upload") !== "" || row.querySelector(":checked")
      || (text && text.value !== text.defaultValue);
  };
  const show = () => {
    const isText = [...form.querySelectorAll(".staff-file")].some(isChanged)
      || fields.some((field, number) => field.value !== before[number]);
    label.textContent = isText ? label.dataset.publish : label.dataset.labels;
    more.textContent = `${isText ? "Publish" : "Save"} and continue editing`;
  };
  form.addEventListener("input", show);
  form.addEventListener("change", show);
  form.addEventListener("click", () => setTimeout(show));
  show();
};

// The theme's field of several rows gets an input without a name, from a callback of jQuery's.
const nameInputs = () => {
  document.querySelectorAll("select[multiple] + .select2 input").forEach((input) => {
    input.ariaLabel = input.closest(".select2").previousElementSibling.labels[0]?.textContent.trim();
  });
};
window.addEventListener("load", () => window.django?.jQuery?.(nameInputs));

document.addEventListener("DOMContentLoaded", () => {
  const files = document.getElementById("id_files");
  if (files) addFileRows(files);
  const label = document.querySelector("#save-label[data-publish]");
  if (label && !document.querySelector(".staff-errors")) showWhatSaveDoes(label);
});
