// The outputs that devlog has, by Eleventy's own means: collections, pagination over them, and plain templates for
// feeds, site map and posts.json. As in devlog, feeds of the site and of topics hold whole texts, those of tags and
// authors summaries. What would only slow it down is left out: posts are no templates here, the URLs in feeds are not
// made absolute (they are already), lists have one page, and feeds one format, Atom.
import highlight from "@11ty/eleventy-plugin-syntaxhighlight";

const MARKDOWN = "content/*/*.md";

export default function (config) {
  config.addPlugin(highlight);
  config.addFilter("iso", (date) => date.toISOString());
  config.addFilter("day", (date) => date.toISOString().slice(0, 10));
  config.addFilter("summary", (html) => html.replace(/<[^>]*>/g, "").slice(0, 300));

  config.addCollection("posts", (api) => newestFirst(api.getFilteredByGlob(MARKDOWN)));
  for (const [name, keysOf] of Object.entries({
    topics: (post) => [post.data.topic],
    tags: (post) => post.data.tags ?? [],
    authors: (post) => [post.data.author],
  })) {
    config.addCollection(name, (api) => groups(name, newestFirst(api.getFilteredByGlob(MARKDOWN)), keysOf));
  }
  return { dir: { input: "content", output: "public" }, markdownTemplateEngine: false, htmlTemplateEngine: "njk" };
}

function newestFirst(posts) {
  return [...posts].reverse();
}

function groups(kind, posts, keysOf) {
  const found = new Map();
  for (const post of posts) {
    for (const key of keysOf(post)) {
      if (!found.has(key)) {
        const slug = key.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
        found.set(key, { title: key, url: kind === "topics" ? `/${slug}/` : `/${kind}/${slug}/`, posts: [] });
      }
      found.get(key).posts.push(post);
    }
  }
  return [...found.values()];
}
