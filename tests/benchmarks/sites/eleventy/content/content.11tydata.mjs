// The folder of a post is its topic.
export default {
  eleventyComputed: { topic: (data) => data.page.inputPath.split("/").at(-2) },
};
