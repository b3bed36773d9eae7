/** Every screen of the dashboard and what can be done on it: one owner with a busy day, and one browser. */
import assert from 'node:assert/strict';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { checkout } from '../docs/markdown.ts';
import { takePictures } from '../screenshots/take-pictures.ts';
import { eventually } from '../support/eventually.ts';
import { tempDir } from '../support/temp-dir.ts';
import { barriers, tooWide } from './axe.ts';
import { WAIT_MS, noBrowser } from './dashboard-harness.ts';
import type { Scene } from './dashboard-scene.ts';
import { openScene, screensOf } from './dashboard-scene.ts';

/** A page with its header alone has less. */
const EMPTY_PICTURE_BYTES = 15_000;
const WIDTHS = [320, 768, 1280, 1920];

describe('the screens of the dashboard', { skip: noBrowser, timeout: 900_000 }, () => {
  let scene: Scene;
  let page: Page;
  before(async () => {
    scene = await openScene();
    page = await scene.dashboard.visit();
  });
  after(async () => {
    await scene[Symbol.asyncDispose]();
  });

  const at = async (path: string): Promise<void> => {
    await page.goto(new URL(path, page.url()).href);
    await page.getByText('live', { exact: true }).waitFor();
  };
  const recorded = (run: string, words: RegExp): Promise<void> =>
    eventually(
      String(words),
      async () => words.test(JSON.stringify(await scene.dashboard.cli.events(run))),
      WAIT_MS,
    );

  /** What has a size of its own, such as a chart, follows the window. */
  const fits = async (what: string): Promise<void> => {
    let wide: string | null = null;
    const isFit = async (): Promise<boolean> => (wide = await tooWide(page)) === null;
    await eventually(what, isFit, WAIT_MS).catch(() => assert.fail(`${what}: ${wide}`));
  };
  /** The page knows that it can be done now. */
  const canPress = (label: string, where: Page | Locator = page): Promise<void> =>
    where.locator('button[aria-disabled="false"]', { hasText: label }).waitFor();
  const noDialog = (): Promise<void> => page.locator('dialog').waitFor({ state: 'detached' });

  test('fit every width, light and dark, without barriers', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const [name, path, sees] of screensOf(scene)) {
        await page.setViewportSize({ width: 1280, height: 900 });
        await at(path);
        await page.getByText(sees).first().waitFor();
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 });
          await fits(`${name} at ${width} px`);
          await scene.dashboard.picture(page, `${name}-${colorScheme}-${width}`);
        }
        assert.deepEqual(await barriers(page), [], `${name}, ${colorScheme}`);
      }
    }
    await page.setViewportSize({ width: 1280, height: 900 });
    // A question, a change that waits for an approval, and an agent without restarts.
    await eventually('the number', async () => (await page.title()).startsWith('(3) '), WAIT_MS);
    assert.deepEqual(scene.dashboard.complaints, []);
  });

  test('are those of the pictures in the documents', async () => {
    await using folder = await tempDir();
    const taken = await takePictures(scene, page, folder.path);
    for (const file of taken) {
      const picture = await readFile(file);
      const size = [picture.readUInt32BE(16), picture.readUInt32BE(20)];
      assert.deepEqual(size, [1280, 800], file);
      assert.ok(picture.length > EMPTY_PICTURE_BYTES, `${file} shows nothing`);
    }
    const kept = await readdir(join(checkout, 'docs', 'pictures'));
    assert.deepEqual(taken.map((file) => basename(file)).toSorted(), kept.toSorted());
  });

  test('a red gate opens at the first failing line of its last run', async () => {
    await at(`/runs/${scene.red}`);
    const marked = page.locator('.line.marked').getByText('not ok 60');
    // The same line is there twice: the gate ran on the base of the work before.
    await eventually(
      'the line of the last run',
      async () => Number(await marked.getAttribute('data-index')) > 63,
      WAIT_MS,
    );
  });

  test('the turns of an agent show what it said, called, and saw fail', async () => {
    await at('/runs/0000000001');
    await page.getByRole('tab', { name: 'Turns' }).waitFor();
    await page.keyboard.press('4');
    const turns = page.getByRole('region', { name: 'Turns' });
    await turns.getByText('The order is kept now.').waitFor();
    await turns.getByText('→ Edit src/cart.ts').waitFor();
    await turns.getByText('✖ Bash npm test: not ok 3 - keeps the order').waitFor();
    await turns.getByText('60 % full').waitFor();
    await scene.dashboard.picture(page, 'turns');
    assert.deepEqual(await barriers(page), []);
  });

  test('a query is completed by the keyboard, and means the same as in status', async () => {
    await at('/');
    await page.getByText('Fix the flaky tests').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('fail');
    await page.keyboard.press('Tab');
    await page.keyboard.type('lim');
    await page.keyboard.press('Tab');
    const line = page.getByRole('combobox', { name: 'Query' });
    assert.equal(await line.inputValue(), 'failure:limit ');
    await page.getByText('$ supervisor status failure:limit').first().waitFor();
    const listed = JSON.parse(await scene.dashboard.say('status', 'failure:limit', '--json')) as {
      runs: readonly unknown[];
    };
    await eventually(
      'as many runs as status lists',
      async () => (await page.locator('.done .count').textContent()) === String(listed.runs.length),
      WAIT_MS,
    );
  });

  test('one instruction goes to all marked runs', async () => {
    await at('/?q=is:running search');
    await page.getByText('Make the search fast').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press(' ');
    await page.getByText('1 run marked').waitFor();
    await page.keyboard.press('p');
    await page.getByText('pause: 1 of 1 run.').waitFor();
    await scene.dashboard.reaches(scene.working, 'paused');
    await canPress('Unpause', page.getByRole('region', { name: 'Marked runs' }));
    await page.keyboard.press('u');
    await scene.dashboard.reaches(scene.working, 'running');
  });

  test('an agent of the tree gets a message, is restarted, and is dismissed', async () => {
    const { docs, builds } = scene;
    await at('/tree');
    await page.getByRole('button', { name: /builds/ }).click();
    await canPress('Restart');
    await page.keyboard.press('r');
    await recorded(builds, /"answer":"restart"[^}]*"channel":"web"/);
    await page.getByRole('button', { name: /docs/ }).click();
    await canPress('Message…');
    await page.keyboard.press('s');
    await page.keyboard.type('mind the links');
    await page.keyboard.press('Control+Enter');
    await recorded(docs, /mind the links/);
    await noDialog();
    await page.keyboard.press('d');
    await page.keyboard.press('Control+Enter');
    await recorded(docs, /"kind":"dismiss","because":"a person dismissed it in the dashboard"/);
  });

  test('the merge queue of a plan is held and released', async () => {
    await at(`/plans/${scene.plan}?as=table`);
    await page.getByText('The frontend').waitFor();
    const queue = page.getByRole('region', { name: 'Merge queue' });
    await canPress('Hold the queue', queue);
    await page.keyboard.press('H');
    await canPress('Release', queue);
    await recorded(scene.plan, /"kind":"merge-queue","action":"hold","component":null/);
    await page.keyboard.press('H');
    await recorded(scene.plan, /"kind":"merge-queue","action":"release","component":null/);
    await page.keyboard.press('1');
    await page.locator('.react-flow__node').nth(4).waitFor();
  });

  test('the table of agents writes the file with its comments, and refuses an old table', async () => {
    const file = join(scene.dashboard.cli.home.dir, 'config.yaml');
    await at('/agents');
    await page.getByLabel('Model of deep').fill('sonnet');
    await page.keyboard.press('Escape');
    await page.locator('h1').click();
    await page.keyboard.press('w');
    await eventually(
      'the file',
      async () => /model: sonnet/.test(await readFile(file, 'utf8')),
      WAIT_MS,
    );
    assert.match(await readFile(file, 'utf8'), /# paid by the company/);
    // The page has the answer, and not only the file its new text.
    await page.locator('[title="nothing is changed"]', { hasText: 'Write the file' }).waitFor();
    await page.keyboard.press('t');
    await page.getByText('built in').waitFor();
    await writeFile(file, `${await readFile(file, 'utf8')}# changed by hand\n`);
    await page.getByLabel('Model of deep').fill('haiku');
    await page.getByRole('button', { name: 'Write the file' }).click();
    await page.getByText('has changed since this table was read').waitFor();
    assert.match(await readFile(file, 'utf8'), /model: sonnet/);
  });
});
