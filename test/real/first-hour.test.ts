/**
 * The first hour of a newcomer, as `docs/guide/first-hour.md` tells it: each of its commands is
 * typed at a real terminal, with the real CLIs, and shows what the document shows. With
 * UPDATE_TRANSCRIPT=1 the document gets the new screens instead.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { parse } from '../docs/markdown.ts';
import type { LocalRegistry } from '../e2e/local-registry.ts';
import { startRegistry } from '../e2e/local-registry.ts';
import { checkout } from '../e2e/shell.ts';
import { missing } from '../sandbox/setup.ts';
import type { TempDir } from '../support/temp-dir.ts';
import { tempDir } from '../support/temp-dir.ts';
import { installSupervisor } from './newcomer/install.ts';
import { PROJECTS } from './newcomer/projects.ts';
import type { Screen } from './newcomer/session.ts';
import { typeAsNewcomer } from './newcomer/session.ts';
import type { Recorded } from './newcomer/transcript.ts';
import { lasting, screensUnder, withScreens } from './newcomer/transcript.ts';
import { isMissing } from './sandboxed-clis.ts';

const TIMEOUT_MS = 290_000;
const DOCUMENT = join(checkout, 'docs/guide/first-hour.md');
const text = readFileSync(DOCUMENT, 'utf8');
const isUpdate = process.env['UPDATE_TRANSCRIPT'] === '1';
const TOOLS = ['tmux', 'openssl', 'npm', 'python3'];

const SESSIONS = PROJECTS.flatMap((project) => [
  { heading: project.title, project, cli: 'claude', columns: 80, rows: 24 } as const,
  {
    heading: `${project.title}, with Codex`,
    project,
    cli: 'codex',
    columns: 120,
    rows: 40,
  } as const,
]);

function isToolMissing(t: TestContext): boolean {
  if (isMissing(t, 'claude', 'codex')) return true;
  const absent = TOOLS.filter((name) => which(name, process.env) === undefined);
  if (absent.length > 0) t.skip(missing(absent.join(', ')));
  return absent.length > 0;
}

describe('the first hour', { timeout: 2 * TIMEOUT_MS, concurrency: 2 }, () => {
  let dir: TempDir | undefined;
  let registry: Promise<LocalRegistry> | undefined;
  let bin: Promise<string> | undefined;
  const replaced: (readonly [Recorded, Screen])[] = [];

  before(async () => {
    dir = await tempDir();
  });
  after(async () => {
    await (await registry)?.[Symbol.asyncDispose]();
    await dir?.[Symbol.asyncDispose]();
    if (isUpdate) writeFileSync(DOCUMENT, withScreens(text, replaced));
  });

  test('types the commands of the quickstart in the README', () => {
    const readme = parse('README.md', readFileSync(join(checkout, 'README.md'), 'utf8'));
    const quickstart = readme.blocks.find((block) => block.text.includes('supervisor init\n'));
    const commands = (quickstart?.text ?? '')
      .split('\n')
      .filter((line) => line.startsWith('supervisor '));
    const [first] = SESSIONS;
    assert.ok(first !== undefined && commands.length > 3);
    const typed = screensUnder(text, first.heading).map(({ command }) => command);
    assert.deepEqual(
      typed.filter((command) => command.startsWith('supervisor ')),
      commands,
    );
  });

  for (const { heading, project, cli, columns, rows } of SESSIONS)
    test(`with ${cli} at ${columns} columns: ${heading}`, { timeout: TIMEOUT_MS }, async (t) => {
      if (isToolMissing(t)) return;
      assert.ok(dir !== undefined);
      registry ??= startRegistry();
      bin ??= installSupervisor(dir.path);
      const recorded = screensUnder(text, heading);
      assert.ok(recorded.length > 3, `only ${recorded.length} screens are under ${heading}`);
      const installed = { registry: await registry, bin: await bin };
      const screens = await typeAsNewcomer(
        { project, cli, columns, rows, ...installed, compiled: join(dir.path, 'compiled') },
        recorded.map(({ command }) => command),
      );
      for (const [nth, one] of recorded.entries()) {
        const screen = screens[nth] ?? [];
        if (isUpdate) replaced.push([one, screen]);
        else
          assert.deepEqual(
            lasting(screen, columns),
            lasting(one.screen, columns),
            `The screen differs from docs/guide/first-hour.md. If that is right, run this test with UPDATE_TRANSCRIPT=1.\n${screen.join('\n')}`,
          );
      }
    });
});
