/** What a person with another way of seeing or typing could not use on a page. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');

type Found = {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
};

export async function barriers(page: Page): Promise<readonly string[]> {
  // The policy of the page refuses foreign scripts, so the debugger runs this one.
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axe });
  const { result } = await session.send('Runtime.evaluate', {
    expression: 'axe.run().then(({violations}) => JSON.stringify(violations))',
    awaitPromise: true,
  });
  const found = JSON.parse(String(result.value)) as readonly Found[];
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''} ${nodes[0]?.failureSummary ?? ''}`);
}

/** What is wider than the window, if the page is: the first such element that nothing around it clips. */
export function tooWide(page: Page): Promise<string | null> {
  return page.evaluate<string | null>(`(() => {
    if (document.documentElement.scrollWidth <= window.innerWidth) return null;
    const clips = (one) => one !== null && one !== document.documentElement && one !== document.body &&
      (getComputedStyle(one).overflowX !== 'visible' || clips(one.parentElement));
    const found = [...document.querySelectorAll('body *')].find((one) =>
      one.getBoundingClientRect().right > window.innerWidth + 1 && !clips(one.parentElement));
    return found === undefined ? 'the page' : found.outerHTML.slice(0, 300);
  })()`);
}

/** Whether the page is wider than its window. */
export function overflows(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
}
