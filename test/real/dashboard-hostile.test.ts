/** What must not happen in a dashboard: foreign scripts, foreign pages, two decisions, lost events. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { DashboardHarness, WAIT_MS, noBrowser } from './dashboard-harness.ts';

const MARKUP =
  '<img src=x onerror="globalThis.wasRun = true"><script>globalThis.wasRun = true</script>';

/** Another site on this machine, closed at the end of the scope. */
async function site(page: string): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('the dashboard against others', { skip: noBrowser, timeout: 900_000 }, () => {
  test('shows markup in tasks, output, names of files and changes as text', async () => {
    await using given = await DashboardHarness.open();
    const run = await given.askForApproval(`${MARKUP} Write it.`, 'writes-markup');
    const page = await given.visit();
    for (const path of ['/', `/runs/${run}`, `/runs/${run}/review`]) {
      await page.goto(new URL(path, page.url()).href);
      await page.getByText('<img src=x onerror=').first().waitFor();
      await given.picture(page, `markup${path.replaceAll('/', '-')}`);
      assert.equal(await page.evaluate('globalThis.wasRun === true'), false, path);
      assert.equal(await page.locator('img').count(), 0, path);
    }
    const [step] = await given.cli
      .runs('--all')
      .then((runs) => runs.filter(({ run_id }) => run_id === run));
    assert.ok(step !== undefined);
    await page.getByRole('button', { name: /onerror/ }).click();
    await page.getByRole('cell', { name: '<script>globalThis.wasRun' }).waitFor();
    await page.keyboard.press('Escape');
    // The output is that of the step, which is a run of its own.
    await page
      .getByRole('link', { name: /implement/ })
      .first()
      .click();
    await page.getByText('</pre></script><script>').waitFor();
    await page.keyboard.press('3');
    await page.getByText('run.submitted').first().waitFor();
    assert.equal(await page.evaluate('globalThis.wasRun === true'), false);
    assert.deepEqual(given.complaints, []);
  });

  test('two browsers approve at once: one wins, and the other is told', async () => {
    await using given = await DashboardHarness.open();
    const run = await given.askForApproval();
    const pages = [
      await given.visit(`/runs/${run}/review`),
      await given.visit(`/runs/${run}/review`),
    ];
    // No decision is sent before both people have made theirs: the page of the second one would show the first.
    const { promise: areMade, resolve: release } = Promise.withResolvers<void>();
    let made = 0;
    for (const page of pages)
      await page.route('**/decision', async (route) => {
        made += 1;
        if (made === pages.length) release();
        await areMade;
        await route.continue();
      });
    for (const page of pages) await page.getByRole('button', { name: 'Approve' }).click();
    for (const page of pages) await page.getByText('The first decision stands.').waitFor();
    assert.equal(made, 2);
    await given.reaches(run, 'unverified');
    const signals = (await given.cli.events(run)).filter(({ type }) => type === 'signal.received');
    assert.equal(signals.length, 1);
  });

  test('a decision that is sent again, with all its secrets, decides nothing about the next change', async () => {
    await using given = await DashboardHarness.open();
    const run = await given.askForApproval();
    const page = await given.visit(`/runs/${run}/review`);
    await page.getByText('a - b').waitFor();
    const sent = page.waitForRequest((one) => one.url().endsWith('/decision'));
    await page.keyboard.press('b');
    await page.keyboard.type('it must add');
    await page.keyboard.press('Control+Enter');
    const decision = await sent;
    // The agent changes its work, and asks again.
    await page.getByText('a + b').waitFor();
    await given.reaches(run, 'awaiting_input');
    const before = (await given.cli.events(run)).length;
    const headers = await decision.allHeaders();
    const again = async (more: Readonly<Record<string, string>>): Promise<number> => {
      const call = { method: 'POST', headers: { ...headers, ...more } };
      const data = decision.postData() ?? '';
      return (await page.request.fetch(decision.url(), { ...call, data })).status();
    };
    // The same request is known as done. With another key it is about work that has changed since.
    assert.deepEqual([await again({}), await again({ 'idempotency-key': 'other' })], [202, 409]);
    assert.equal(await given.cli.stateOf(run), 'awaiting_input');
    assert.equal((await given.cli.events(run)).length, before);
  });

  test('an owner that is killed greys the page, which then catches up without a gap', async () => {
    await using given = await DashboardHarness.open();
    const run = await given.start('Think', 'never-speaks');
    await given.reaches(run, 'running');
    const page = await given.visit(`/runs/${run}`);
    await page.getByText('attempt-1').waitFor();
    await page.keyboard.press('3');
    await page.getByText('command.begun').first().waitFor();
    await given.cli.killOwner();
    await page.getByText('The owner does not answer').waitFor();
    await given.picture(page, 'lost');
    await given.cli.run(['status']); // starts the next owner
    await page.getByText('live', { exact: true }).waitFor();
    await given.cli.run(['stop', run]);
    await page.locator('.head').getByText('cancelled').waitFor();
    const stored = (await given.cli.events(run)).map(({ seq, type }) => `${seq} ${type}`);
    const facts = page.locator('.fact');
    await eventually(
      'all facts are shown',
      async () => (await facts.count()) === stored.length,
      WAIT_MS,
    );
    const shown = await facts.evaluateAll((all) =>
      all.map(
        (one) => `${one.querySelector('span')?.textContent} ${one.querySelector('b')?.textContent}`,
      ),
    );
    assert.deepEqual(shown, stored);
  });

  test('a page of another site can neither frame it, nor read it, nor decide', async () => {
    await using given = await DashboardHarness.open();
    const run = await given.askForApproval();
    const page = await given.visit();
    const { origin } = new URL(page.url());
    await using evil = await site(`<!doctype html><title>evil</title>
        <iframe src="${origin}/"></iframe>
        <form id="f" method="post" action="${origin}/v1/runs/${run}/decision" enctype="text/plain" target="out">
          <input name='{"decision":"approve","x":"' value='"}'></form>
        <iframe name="out"></iframe>
        <script>
          document.querySelector('#f').submit();
          const tries = ['/v1/session', '/v1/events'].map((path) =>
            fetch('${origin}' + path, {credentials: 'include'}).then((answer) => answer.text(), () => 'blocked'));
          tries.push(fetch('${origin}/v1/runs/${run}/decision', {method: 'POST', mode: 'no-cors', credentials: 'include',
            body: '{"decision":"approve"}'}).then(() => 'sent', () => 'blocked'));
          Promise.all(tries).then((all) => { document.title = 'done ' + all.join(' '); });
        </script>`);
    // Another port of this machine gets the cookie of the dashboard too, so this is the worst neighbour.
    await page.goto(evil.url);
    await eventually('the attempts', async () => (await page.title()).startsWith('done'), WAIT_MS);
    assert.match(await page.title(), /^done blocked blocked/);
    for (const frame of page.frames().slice(1))
      assert.ok(!(await frame.content()).includes('id="root"'), 'a frame shows the dashboard');
    assert.equal(await given.cli.stateOf(run), 'awaiting_input');
    const events = JSON.stringify(await given.cli.events(run));
    assert.ok(!events.includes('signal.received'));
  });

  test('a page of another site can not replace the key of the page, and a new link can', async () => {
    await using given = await DashboardHarness.open();
    await given.start('Think', 'never-speaks');
    const page = await given.visit('/', {}, '--read-only');
    const { origin } = new URL(page.url());
    await using evil = await site(`<script>location = '${origin}/#key=${'A'.repeat(43)}'</script>`);
    await page.goto(evil.url);
    await page.waitForURL(`${origin}/`);
    await page.getByText('live', { exact: true }).waitFor();
    await page.goto(await given.link());
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByText('read-only').waitFor({ state: 'detached' });
  });

  test('a link that was used shows nothing to another browser', async () => {
    await using given = await DashboardHarness.open();
    await given.start('Think', 'never-speaks');
    const url = await given.link();
    const [first, second] = [await given.browser(), await given.browser()];
    await first.goto(url);
    await first.getByText('live', { exact: true }).waitFor();
    assert.ok(!first.url().includes('key='), 'the address keeps no key');
    await second.goto(url);
    await second.getByText('This link does not work').waitFor();
    await second.goto(new URL('/', url).href);
    await second.getByRole('heading', { name: 'No access' }).waitFor();
    await given.picture(second, 'no-access');
    await given.cli.run(['dashboard', '--end']);
    await first.getByText('The owner does not answer').waitFor();
  });
});
