// Swagger UI for the document that the page names. Its validator is off, as it would call another host.
const docs = document.querySelector("#docs");

// An operation is a button, so no link stands in it. There is one server, and nothing to choose. What
// the document says of itself is on the page already, which shows it before this script has come.
const accessible = (system) => ({
  wrapComponents: {
    DeepLink: () => ({ text }) => system.React.createElement("span", null, text),
    ServersContainer: () => () => null,
    InfoContainer: () => () => null,
  },
});

// What a screen reader and a keyboard need, and its markup lacks.
new MutationObserver(() => {
  for (const field of docs.querySelectorAll(":is(select, textarea):not([aria-label])")) {
    const parameter = field.closest("[data-param-name]");
    const name = field.matches("select") ? "What to show" : "Request body";
    field.setAttribute("aria-label", parameter ? parameter.dataset.paramName : name);
  }
  docs.querySelector(".modal-btn.authorize")?.removeAttribute("aria-label");
  docs.querySelector(".close-modal")?.setAttribute("aria-label", "Close");
  for (const code of docs.querySelectorAll("pre:not([tabindex])")) code.tabIndex = 0;
  for (const main of docs.querySelectorAll("main:not([role])")) main.setAttribute("role", "group");
  for (const table of docs.querySelectorAll("table[role=region]")) table.removeAttribute("role");
}).observe(docs, { childList: true, subtree: true });

// Loaded once the page is there, because it is a hundred times as large.
addEventListener("load", () => {
  const style = document.createElement("link");
  Object.assign(style, { rel: "stylesheet", href: docs.dataset.style });
  const script = document.createElement("script");
  script.src = docs.dataset.script;
  script.addEventListener("load", () => {
    SwaggerUIBundle({
      domNode: docs,
      url: docs.dataset.document,
      plugins: [accessible],
      validatorUrl: null,
      deepLinking: true,
      tryItOutEnabled: true,
      defaultModelsExpandDepth: 0,
    });
  });
  document.head.append(style, script);
});
