/**
 * `npm run screenshots [-- FOLDER]`: takes the pictures of the documents again, from an owner with scripted agents. Look
 * at them before you commit them.
 */
import { argv, exit } from 'node:process';
import { join } from 'node:path';
import { noBrowser } from '../real/dashboard-harness.ts';
import { openScene } from '../real/dashboard-scene.ts';
import { checkout } from '../docs/markdown.ts';
import { takePictures } from './take-pictures.ts';

if (noBrowser !== false) {
  process.stderr.write(`No picture was taken: ${noBrowser}. Install it, and try again.\n`);
  exit(1);
}
const folder = argv[2] ?? join(checkout, 'docs', 'pictures');
await using scene = await openScene();
const page = await scene.dashboard.visit();
for (const file of await takePictures(scene, page, folder)) process.stdout.write(`${file}\n`);
