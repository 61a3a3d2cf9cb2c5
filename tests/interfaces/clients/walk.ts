// From registering to a review, with openapi-fetch and what openapi-typescript has made of the
// document. tsc checks every name and type of it.
import createClient from "openapi-fetch";
import type { components, paths } from "./generated.js";

declare const process: { argv: string[] };
const client = createClient<paths>({ baseUrl: process.argv[2] });

function check(isTrue: boolean, what: string): asserts isTrue {
  if (!isTrue) throw new Error(what);
}

const { data: registered } = await client.POST("/api/v1/agents/register", {
  body: { name: "Typed Client" },
});
check(registered !== undefined, "registered");
const headers = { Authorization: `Bearer ${registered.token}` };

const { data: found } = await client.GET("/api/v1/skills", {
  params: { query: { q: "pdf tables", tag: ["pdf"], sort: "relevance", limit: 1 } },
});
check(found !== undefined && found.count === 1, "found");
const skill: components["schemas"]["Skill"] = found.results[0];

const { error } = await client.GET("/api/v1/skills/{slug}", {
  params: { path: { slug: "no-such" } },
});
check(error?.error === "Skill not found", "an error");

const installed = await client.POST("/api/v1/agents/me/skills/install", {
  headers,
  body: { slug: skill.slug },
});
check(installed.data?.skillId === skill.skillId, "a skill");
await client.POST("/api/v1/agents/me/personas/install", {
  headers,
  body: { slug: "archivist", setActive: true },
});
const reviewed = await client.POST("/api/v1/agents/me/reviews", {
  headers,
  body: { personaSlug: "archivist", rating: 4.5 },
});
check(reviewed.data?.rating === 4.5, "a review");

const { data: profile } = await client.GET("/api/v1/agents/me", { headers });
check(profile?.activePersona?.slug === "archivist" && profile.counts.reviews === 1, "the profile");

// @ts-expect-error - the document knows no such order.
const wrong: paths["/api/v1/skills"]["get"]["parameters"]["query"] = { sort: "best" };
