/** The page for one question, in a real browser of the width of a phone. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { barriers, overflows } from './axe.ts';
import { DashboardHarness, noBrowser } from './dashboard-harness.ts';

const PHONE = { width: 360, height: 740 };

describe('a link to one question', { skip: noBrowser, timeout: 900_000 }, () => {
  test('shows a change of high risk, and takes an approval only with the secret of an approver', async () => {
    await using given = await DashboardHarness.open('approvals: {high_paths: [sum.mjs]}\n');
    const run = await given.askForApproval('Add a sum. <img src=x onerror=alert(1)>');
    const stdin = 'the secret of ada';
    const added = await given.cli.run(['approver', 'add', 'ada', '--secret-stdin'], { stdin });
    assert.equal(added.code, 0, added.stderr);
    const url = await given.link('--question', run);
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await given.browser({ ...PHONE, colorScheme });
      await page.goto(url);
      await page.getByText('export const add').waitFor();
      assert.match(await page.content(), /&lt;img src=x/);
      assert.equal(await page.locator('script').count(), 0);
      await page.getByText('it changes sensitive files: sum.mjs').waitFor();
      assert.equal(await overflows(page), false);
      assert.deepEqual(await barriers(page), []);
      await given.picture(page, `phone-${colorScheme}`);
    }
    const page = await given.browser(PHONE);
    await page.goto(url);
    const approve = async (secret: string): Promise<void> => {
      await page.getByLabel('Your name as an approver').fill('ada');
      await page.getByLabel('Your secret').fill(secret);
      await page.getByRole('button', { name: 'Approve' }).click();
    };
    await approve('a guess');
    await page.getByRole('alert').waitFor();
    await given.picture(page, 'phone-refused');
    await approve(stdin);
    await page.getByRole('heading', { name: 'Approved' }).waitFor();
    await given.reaches(run, 'unverified');
    const facts = JSON.stringify(await given.cli.events(run));
    assert.match(facts, /"channel":"phone"/);
    assert.doesNotMatch(facts, /the secret of ada/);
    await page.goto(url);
    await page.getByRole('heading', { name: 'This question is no longer open' }).waitFor();
    assert.deepEqual(given.complaints, []);
  });

  test('sends a change back, and refuses a decision about work that has changed since', async () => {
    await using given = await DashboardHarness.open();
    const run = await given.askForApproval();
    const page = await given.browser(PHONE);
    const url = await given.link('--question', run);
    await page.goto(url);
    await page.getByText('export const add').waitFor();
    // The work that the form names is not the work that waits.
    await page.evaluate(`document.querySelector('input[name=work]').value = 'f'.repeat(40)`);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('What has to change, or why not').fill('it must add');
    await page.getByRole('button', { name: 'Send back' }).click();
    await page.getByRole('heading', { name: 'Sent back' }).waitFor();
    const facts = (): Promise<string> => given.cli.events(run).then((all) => JSON.stringify(all));
    assert.match(await facts(), /it must add/);
    await given.reaches(run, 'awaiting_input');
    // The next question is another one, and the link does not show it.
    await page.goto(url);
    await page.getByRole('heading', { name: 'This question is no longer open' }).waitFor();
    assert.deepEqual(given.complaints, []);
  });

  test('opens with the button that a program which looks at links gets', async () => {
    await using given = await DashboardHarness.open();
    const url = await given.link();
    const page = await given.browser(PHONE);
    // A link in a message: the browser comes from another site.
    await page.goto(`data:text/html,<a href="${url}">open</a>`);
    await page.getByText('open').click();
    await page.getByRole('button', { name: 'Open the dashboard' }).click();
    await page.getByText('live', { exact: true }).waitFor();
  });
});
