// The same, with images in the widths and the format that devlog makes.
import { eleventyImageTransformPlugin } from "@11ty/eleventy-img";
import plain from "./eleventy.config.mjs";

export default function (config) {
  config.addPlugin(eleventyImageTransformPlugin, {
    formats: ["webp"],
    widths: [800, 1200, 1600],
    sharpWebpOptions: { quality: 75 },
    htmlOptions: { imgAttributes: { loading: "lazy", sizes: "(min-width: 50rem) 46rem, 100vw" } },
  });
  return plain(config);
}
