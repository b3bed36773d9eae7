/** Attacks that no sandbox can block are documented where users read about the sandbox. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documents, section, tableRows } from '../docs/markdown.ts';
import { CASES } from './cases.ts';

function page(path: string): string {
  const found = documents().find((one) => one.path === path);
  return (found?.text ?? assert.fail(`there is no ${path}`)).replaceAll(/\s+/g, ' ');
}

test('case 23: the guide says that an agent may send its model everything it sees, and what limits that', () => {
  const guide = page('docs/guide/sandbox.md');
  assert.match(guide, /does not stop an agent from sending what it sees to the model/);
  assert.match(guide, /The gateway counts and records that/);
  assert.match(page('SECURITY.md'), /an agent may send it anything that it can read/);
});

test('the guide names every case that is not fully tested, with the reason', () => {
  const guide = documents().find(({ path }) => path === 'docs/guide/sandbox.md') ?? assert.fail();
  assert.deepEqual(
    tableRows(section(guide, 'What is tried, and what is not')),
    CASES.flatMap(({ number, tries, rest }) => (rest === undefined ? [] : [[number, tries, rest]])),
  );
});
