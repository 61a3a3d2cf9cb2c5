// The Markdown preview beside the content of a skill or persona.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const preview = document.getElementById("markdown-preview");
  const content = document.getElementById("id_content");
  if (!preview || !content) return;

  const editor = document.createElement("div");
  editor.className = "markdown-editor";
  content.before(editor);
  editor.append(content, preview);
  preview.hidden = false;

  let timer, latest = 0;
  const show = async () => {
    const number = ++latest;
    const body = new FormData();
    body.set("content", content.value);
    body.set("csrfmiddlewaretoken", content.form.elements.csrfmiddlewaretoken.value);
    const response = await fetch(preview.dataset.url, { method: "POST", body });
    // A slow response for an earlier text must not replace that for a later one.
    if (response.ok && number === latest) preview.innerHTML = await response.text();
  };
  content.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(show, 300);
  });
  if (content.value) show();
});
