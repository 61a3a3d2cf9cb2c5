// Swagger UI with the document that the page names. Its validator would ask another host.
const docs = document.querySelector("#docs");
SwaggerUIBundle({
  domNode: docs,
  url: docs.dataset.document,
  validatorUrl: null,
  deepLinking: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
});
