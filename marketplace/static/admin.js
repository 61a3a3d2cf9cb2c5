// The Markdown preview beside the content of a skill or persona.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const place = document.getElementById("markdown-preview");
  const content = document.getElementById("id_content");
  if (!place || !content) return;

  const editor = document.createElement("div");
  editor.className = "markdown-editor";
  content.before(editor);
  editor.append(content, place);
  place.hidden = false;

  let waiting, asked = 0;
  const show = async () => {
    const number = ++asked;
    const body = new FormData();
    body.set("content", content.value);
    body.set("csrfmiddlewaretoken", content.form.elements.csrfmiddlewaretoken.value);
    const answer = await fetch(place.dataset.url, { method: "POST", body });
    // A slow answer to an earlier text must not replace that of a later one.
    if (answer.ok && number === asked) place.innerHTML = await answer.text();
  };
  content.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(show, 300);
  });
  if (content.value) show();
});
