import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { failed, goodMachine } from '../../test/support/machine-facts-fixture.ts';
import { diagnose } from './diagnose.ts';
import { renderDiagnosis } from './render-diagnosis.ts';

const machine = {
  ...goodMachine,
  docker: failed('/usr/bin/docker', 1, 'Cannot connect to the Docker daemon', '28.2.2\n'),
  agents: goodMachine.agents.slice(0, 3),
};

const EXPECTED = `
Runtime
  ✓ Node.js      24.1.0
  ✓ SQLite       3.50.4
  ✓ git          2.39.5
  ✓ account      uid 1000

Sandbox
  ✓ bubblewrap   0.8.0
  – Podman       not installed
    provides: Agents in containers, with images of your choice and without a
    daemon that runs as root.
    install: sudo apt-get install -y podman
  ! Docker       28.2.2 · the client is installed, but no engine answers
    fix: sudo systemctl enable --now docker

Agents
  ✓ Claude Code  2.1.4, logged in · the login expires in 8h00m; tested with
                 2.1.325
  – Codex        not installed
    provides: Agents on OpenAI models, by ChatGPT plan or by key. Tested with
    0.166.0.
    install: npm install --global @openai/codex@latest && codex login
  – Gemini CLI   not installed
    provides: Agents on Google models, by account or by key. Tested with 0.61.0.
    install: npm install --global @google/gemini-cli@latest && gemini
  ✓ scripted     built in · plays a script and ignores the task text

State
  ✓ folder       /home/ada/.supervisor · the first run creates it
  ✓ disk         80.4 GB free

Supervisor can run here. Sandbox: bubblewrap. Ready agents: claude, scripted.
You have Claude Code 2.1.4, logged in.

  supervisor run "Say hello in hello.txt" --agent claude
`.trimStart();

describe('a diagnosis as text', () => {
  const diagnosis = diagnose(machine);

  test('has a line for each finding, and a remedy below each problem', () => {
    assert.equal(renderDiagnosis(diagnosis, { isTty: true, width: 80, colour: false }), EXPECTED);
  });

  test('is not wrapped for a program that reads it', () => {
    const lines = renderDiagnosis(diagnosis, { isTty: false, width: 80, colour: false }).split(
      '\n',
    );
    const claude =
      '  ✓ Claude Code  2.1.4, logged in · the login expires in 8h00m; tested with 2.1.325';
    assert.deepEqual(
      [lines.includes(claude), lines.length < EXPECTED.split('\n').length],
      [true, true],
    );
  });

  test('has the same text in color', () => {
    const coloured = renderDiagnosis(diagnosis, { isTty: true, width: 80, colour: true });
    assert.ok(coloured.includes('  \u001b[32m✓\u001b[0m git          2.39.5\n'));
    assert.equal(stripVTControlCharacters(coloured), EXPECTED);
  });

  test('puts a remedy on one line if it fits', () => {
    assert.match(
      renderDiagnosis(diagnosis, { isTty: true, width: 160, colour: false }),
      /\n {4}provides: Agents on Google models, by account or by key\. Tested with 0\.61\.0\. · install: npm install /,
    );
  });

  test('wraps at the width, except commands and single words', () => {
    const lines = renderDiagnosis(diagnosis, { isTty: true, width: 40, colour: false }).split('\n');
    const long = lines.filter((line) => line.length > 40);
    assert.deepEqual(
      long.filter((line) => !/^ {4}(install|fix): |^ {2}supervisor |\/home/.test(line)),
      [],
    );
  });

  test('escapes control characters', () => {
    const path = '/home/\u001b[2J\u202eada';
    const hostile = { ...machine, state: { ...machine.state, path } };
    const text = renderDiagnosis(diagnose(hostile), { isTty: true, width: 80, colour: false });
    assert.ok(text.includes(String.raw`/home/\u{1b}[2J\u{202e}ada`), text);
  });

  test('begins with what is missing if only the scripted agent can run', () => {
    const bubblewrap = { version: { kind: 'absent' }, trial: null } as const;
    const text = renderDiagnosis(diagnose({ ...machine, bubblewrap }), {
      ...{ isTty: true, width: 200, colour: false },
    });
    assert.match(
      text,
      /\nNo sandbox works here: only the scripted agent can run, in a project without setup and gates\. Ready/,
    );
    assert.doesNotMatch(text, /can run here/);
  });

  test('names what keeps Supervisor from running', () => {
    const old = { ...machine, node: { version: '20.9.0', path: '/n' } };
    assert.match(
      renderDiagnosis(diagnose(old), { isTty: true, width: 80, colour: false }),
      /cannot run here yet: node\./,
    );
  });
});
