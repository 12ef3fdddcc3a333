// The widths that devlog makes, in one format, of all images: nothing but sharp, with as many at a time as there are cores.
import { mkdirSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import sharp from "sharp";

const WIDTHS = [800, 1200, 1600];
const names = readdirSync("images");
mkdirSync("public", { recursive: true });
sharp.concurrency(1);

async function work() {
  for (let name = names.pop(); name; name = names.pop()) {
    const { width } = await sharp(`images/${name}`).metadata();
    const top = Math.min(width, WIDTHS.at(-1));
    for (const each of [...WIDTHS.filter((one) => one < 0.85 * top), top]) {
      await sharp(`images/${name}`).resize(each).webp({ quality: 75 }).toFile(`public/${name}-${each}.webp`);
    }
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, work));
