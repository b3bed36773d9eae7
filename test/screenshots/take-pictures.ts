/** The pictures of the documents, taken from a real owner and a real browser. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Scene } from '../real/dashboard-scene.ts';
import { screensOf } from '../real/dashboard-scene.ts';

const SIZE = { width: 1280, height: 800 };

/** By the name of the screen, which is the name of the file too. `last`: what is drawn last, because it is loaded late. */
const PICTURES: readonly (readonly [
  screen: string,
  colorScheme: 'light' | 'dark',
  last: string,
])[] = [
  ['now', 'light', '.done .run'],
  ['red', 'dark', '.line.marked'],
  ['review', 'dark', '.file'],
  ['plan', 'light', '.react-flow__node'],
  ['tree', 'light', '.history'],
  ['quota', 'light', 'canvas'],
];

/** A canvas is drawn in the frame after it appears. */
const TWO_FRAMES =
  'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))';

/** Resolves with the paths of the files. Leaves the page in its own light again. */
export async function takePictures(
  scene: Scene,
  page: Page,
  folder: string,
): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true });
  await page.setViewportSize(SIZE);
  const taken: string[] = [];
  for (const [screen, colorScheme, last] of PICTURES) {
    const [, path = '/', sees = ''] = screensOf(scene).find(([name]) => name === screen) ?? [];
    await page.emulateMedia({ colorScheme });
    await page.goto(new URL(path, page.url()).href);
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByText(sees).first().waitFor();
    await page.locator(last).first().waitFor();
    await page.evaluate(TWO_FRAMES);
    const file = join(folder, `${screen}.png`);
    await page.screenshot({ path: file, animations: 'disabled', caret: 'hide' });
    taken.push(file);
  }
  await page.emulateMedia({ colorScheme: null });
  return taken;
}
