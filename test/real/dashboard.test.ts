/** The dashboard in a real browser, on a real owner with scripted agents. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { DashboardHarness, WAIT_MS, noBrowser } from './dashboard-harness.ts';

/** Runs in a page: another tab covers it, or uncovers it. A browser without a window shows all of its tabs. */
const TURN = (state: string): void => {
  const page = globalThis as unknown as { document: EventTarget };
  Object.defineProperty(page.document, 'visibilityState', { value: state, configurable: true });
  page.document.dispatchEvent(new Event('visibilitychange'));
};

describe('the dashboard in a browser', { skip: noBrowser, timeout: 900_000 }, () => {
  test('is used by the keyboard alone: from the list to a decision about a change', async () => {
    await using given = await DashboardHarness.open();
    const run = await given.askForApproval();
    const page = await given.visit();
    await page.getByText('Add a sum.').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keys that work here' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.keyboard.type('is:awaiting_input');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/runs/${run}`);
    await page.getByText('ask-look-1').first().waitFor();
    for (const [key, sees] of [
      ['1', '.story li'],
      ['3', '.fact'],
      ['2', '.timeline li'],
    ] as const) {
      await page.keyboard.press(key);
      await page.locator(sees).first().waitFor();
    }
    await page.keyboard.press('r');
    await page.waitForURL(`**/runs/${run}/review`);
    await page.getByText('export const add').waitFor();
    await page.keyboard.press('c');
    await page.keyboard.type('it must add');
    await page.keyboard.press('Enter');
    await page.getByText('Send back with 1 comment').waitFor();
    await given.picture(page, 'comment');
    await page.keyboard.press('b');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Decided:').waitFor();
    await given.picture(page, 'sent-back');
    await eventually(
      'the comment is on record',
      async () => JSON.stringify(await given.cli.events(run)).includes('sum.mjs:1: it must add'),
      WAIT_MS,
    );
    // The agent changes its work, and the page shows the new change by itself.
    await page.getByText('a + b').waitFor();
    await page.keyboard.press('a');
    await given.reaches(run, 'unverified');
    const decisions = JSON.stringify(await given.cli.events(run)).match(/"channel":"\w+"/g);
    assert.deepEqual([...new Set(decisions)], ['"channel":"web"']);
  });

  test('controls a run, and shows the command for it', async () => {
    await using given = await DashboardHarness.open();
    const run = await given.start('Think', 'never-speaks');
    await given.reaches(run, 'running');
    const page = await given.visit(`/runs/${run}`);
    await page.getByRole('button', { name: 'Pause' }).hover();
    await page.getByText(`$ supervisor pause ${run}`).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Unpause' }).waitFor();
    assert.equal(await given.cli.stateOf(run), 'paused');
    await page.keyboard.press('p');
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    await page.keyboard.press('x');
    await page.getByText(`$ supervisor stop ${run}`).last().waitFor();
    await page.getByRole('button', { name: 'Stop it' }).click();
    await given.reaches(run, 'cancelled');
    await page.locator('.head').getByText('cancelled').waitFor();
    await page.getByRole('button', { name: 'Stop…' }).hover();
    await page.getByText('the run has ended').first().waitFor();
  });

  test('answers a question, and the number in the title goes away', async () => {
    await using given = await DashboardHarness.open();
    const run = await given.start('Which config?', 'asks-a-question');
    await given.reaches(run, 'awaiting_input');
    const page = await given.visit(`/runs/${run}`);
    await eventually('the number', async () => (await page.title()).startsWith('(1) '), WAIT_MS);
    await page.getByLabel('Your answer').fill('the second one');
    await page.keyboard.press('Enter');
    await eventually(
      'the answer is on record',
      async () =>
        /"answer":"the second one".*"channel":"web"/.test(
          JSON.stringify(await given.cli.events(run)),
        ),
      WAIT_MS,
    );
  });

  test('is silent in hidden tabs, of which one keeps the number in all titles', async () => {
    await using given = await DashboardHarness.open();
    const run = await given.start('Which config?', 'asks-a-question');
    await given.reaches(run, 'awaiting_input');
    const seen = await given.visit();
    const tabs = [await seen.context().newPage(), await seen.context().newPage()];
    const asked: string[] = [];
    for (const tab of tabs) {
      await tab.goto(new URL(`/runs/${run}`, seen.url()).href);
      await tab.getByLabel('Your answer').waitFor();
      tab.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await tab.evaluate(TURN, 'hidden');
    }
    // The first hidden tab follows for the titles.
    await eventually('its stream', () => asked.length > 0, WAIT_MS);
    await given.say('stop', run);
    for (const tab of [seen, ...tabs])
      await eventually('no number', async () => !(await tab.title()).startsWith('('), WAIT_MS);
    await seen.locator('.done').getByText('Which config?').waitFor();
    assert.deepEqual(asked, ['/v1/board/follow']);
    for (const tab of tabs) {
      await tab.getByLabel('Your answer').waitFor(); // nothing was drawn
      await tab.evaluate(TURN, 'visible');
      await tab.locator('.head').getByText('cancelled').waitFor();
    }
  });

  test('of a reader shows everything and decides nothing', async () => {
    await using given = await DashboardHarness.open();
    const run = await given.askForApproval();
    const page = await given.visit(`/runs/${run}/review`, {}, '--read-only');
    await page.getByText('export const add').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('this browser may look and change nothing').waitFor();
    assert.equal(await given.cli.stateOf(run), 'awaiting_input');
  });
});
