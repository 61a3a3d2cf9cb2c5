// Swagger UI for the document that the page names. Its validator is off, as it would call another host.
const docs = document.querySelector("#docs");
SwaggerUIBundle({
  domNode: docs,
  url: docs.dataset.document,
  validatorUrl: null,
  deepLinking: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
});
