/* What makes the pages quicker to use. Without it, each of them works. */

/* A copy button in the room that each command keeps for it, if the browser has a clipboard. */
if (navigator.clipboard) {
  for (const block of document.querySelectorAll("main pre")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(block.innerText);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    const frame = document.createElement("div");
    frame.className = "code";
    block.replaceWith(frame);
    frame.append(block, button);
  }
}

/* A page that waits for somebody else is loaded again once its state has changed. */
const waiting = document.querySelector("[data-waits]");
if (waiting) {
  setInterval(async () => {
    if (document.hidden) return;
    const response = await fetch(location.href).catch(() => null);
    if (!response?.ok) return;
    const now = new DOMParser().parseFromString(await response.text(), "text/html");
    if (now.querySelector("[data-waits]")?.dataset.waits !== waiting.dataset.waits) location.reload();
  }, 3000);
}

/* What agents are doing, as it happens. */
const activity = document.querySelector("[data-activity]");
if (activity) {
  const ages = new Intl.RelativeTimeFormat("en", {numeric: "auto", style: "short"});
  const ago = (at) => {
    const minutes = Math.round((new Date(at) - Date.now()) / 60000);
    if (minutes > -1) return "just now";
    if (minutes > -60) return ages.format(minutes, "minute");
    return minutes > -1440 ? ages.format(Math.round(minutes / 60), "hour") : ages.format(Math.round(minutes / 1440), "day");
  };
  const link = (text, url) => url ? Object.assign(document.createElement("a"), {textContent: text, href: url}) : text;
  const show = async () => {
    if (document.hidden) return;
    const response = await fetch(activity.dataset.activity).catch(() => null);
    if (!response?.ok) return;
    activity.replaceChildren(...(await response.json()).events.map(({who, did, what, url, at}) => {
      const row = document.createElement("li"), text = document.createElement("span"), age = document.createElement("span");
      text.className = "what";
      text.append(`${who} ${did} `, link(what, url));
      age.textContent = ago(at);
      row.append(text, age);
      return row;
    }));
    activity.parentElement.hidden = !activity.children.length;
  };
  show();
  setInterval(show, 15000);
}

/* An empty field is left out of the address. */
for (const form of document.querySelectorAll("form[role=search]")) {
  form.addEventListener("formdata", ({formData}) => {
    for (const [name, value] of [...formData]) if (value === "") formData.delete(name);
  });
}

/* A menu closes when a click is elsewhere, or with Escape. */
const menu = document.querySelector(".sorts");
if (menu) {
  document.addEventListener("click", (event) => { if (!menu.contains(event.target)) menu.open = false; });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}

/* "/" goes to the search box, as on other sites with much to search. */
const search = document.querySelector("#q");
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!search) return;
  event.preventDefault();
  search.focus();
  search.select();
});

/* Its hint, where there is no touch screen in place of the keyboard. */
if (search && !navigator.maxTouchPoints) {
  const hint = document.createElement("kbd");
  hint.ariaHidden = "true";
  hint.textContent = "/";
  search.after(hint);
}

/* Suggestions below the search box: the combobox of the ARIA practices, with a list that opens. */
if (search) {
  const list = document.createElement("ul");
  list.className = "options";
  list.id = "options";
  list.role = "listbox";
  list.ariaLabel = "Suggestions";
  list.hidden = true;
  search.after(list);
  search.role = "combobox";
  search.ariaAutoComplete = "list";
  search.ariaExpanded = "false";
  search.setAttribute("aria-controls", "options");

  let current = -1, timer, question;
  const show = (suggestions) => {
    list.replaceChildren(...suggestions.map(({label, hint, url}, place) => {
      const option = document.createElement("li");
      option.id = `option-${place}`;
      option.role = "option";
      option.dataset.url = url;
      option.append(label, Object.assign(document.createElement("span"), {textContent: hint}));
      return option;
    }));
    list.hidden = suggestions.length === 0;
    search.ariaExpanded = String(!list.hidden);
    choose(-1);
  };
  const choose = (place) => {
    current = place;
    [...list.children].forEach((option, number) => { option.ariaSelected = String(number === place); });
    if (place < 0) search.removeAttribute("aria-activedescendant");
    else search.setAttribute("aria-activedescendant", `option-${place}`);
  };
  const ask = async () => {
    const text = search.value.trim();
    question = text;
    if (text.length < 2) return show([]);
    const query = new URLSearchParams({kind: search.dataset.kind, q: text});
    const response = await fetch(`/suggest?${query}`).catch(() => null);
    // A later question may have been answered first.
    if (response?.ok && question === text) show((await response.json()).suggestions);
  };
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, 150);
  });
  search.addEventListener("keydown", (event) => {
    const number = list.hidden ? 0 : list.children.length;
    if (event.key === "Escape" && number) {
      event.preventDefault();
      show([]);
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && number) {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      // From -1, where none is current, and round.
      choose((current + 1 + step + number + 1) % (number + 1) - 1);
    } else if (event.key === "Enter" && current >= 0) {
      event.preventDefault();
      location.assign(list.children[current].dataset.url);
    }
  });
  // Before the box loses the focus, which closes the list.
  list.addEventListener("mousedown", (event) => {
    event.preventDefault();
    const option = event.target.closest("li");
    if (option) location.assign(option.dataset.url);
  });
  search.addEventListener("blur", () => {
    clearTimeout(timer);
    question = null;
    show([]);
  });
}
