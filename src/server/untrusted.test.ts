import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import { Submission } from '../protocol/run-submission.ts';
import { createApp } from './app.ts';
import { testOwner } from '../../test/support/test-owner.ts';
import type { TestOwner } from '../../test/support/test-owner.ts';
import { trustProject } from '../../test/support/trust-project.ts';

const CONFIG = 'default_agent: scripted\nattempt: {grace: 1s}\n';
const OWN = 'agents: [{id: mine, cli: scripted}]\ndefault_agent: mine\n';

async function write(at: TestOwner, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const full = join(at.project, '.supervisor', path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, text);
  }
}

const untrusted = (error: unknown): boolean => isRefusal(error, 'project.untrusted');

describe("the owner uses a project's files", () => {
  test('only if they are trusted, for every kind of request', async () => {
    await using at = await testOwner(OWN);
    await write(at, { 'config.yaml': CONFIG, 'roles/dev.yaml': 'extends: implementer\n' });
    const { owner, project } = at;
    const request = { task: 'x', project };
    await assert.rejects(owner.submit(request), untrusted);
    await assert.rejects(owner.submit({ ...request, role: 'dev' }), untrusted);
    await assert.rejects(owner.submit({ ...request, agent: 'scripted' }), untrusted);
    await assert.rejects(owner.agents.spawn({ project, assignment: 'x' }), untrusted);
    await assert.rejects(owner.agents.declare(project), untrusted);
    const { ok, checks } = await owner.preflight(request);
    assert.equal(ok, false);
    assert.match(checks.find(({ id }) => id === 'settings')?.words ?? '', /not trusted/);
    const app = createApp(owner);
    const routes = ['/v1/runs', '/v1/agents', '/v1/agents/declare'];
    const bodies = [request, { assignment: 'x', project }, { project }];
    for (const [index, route] of routes.entries()) {
      const body = JSON.stringify(bodies[index]);
      const response = await app.request(route, { method: 'POST', body });
      assert.equal(response.status, 403, route);
      assert.match(await response.text(), /"project\.untrusted".*supervisor trust \//, route);
    }
    assert.deepEqual(await owner.engine.list({ limit: 10 }), []);
  });

  test('not at all if the request ignores them', async () => {
    await using at = await testOwner(OWN);
    await write(at, { 'config.yaml': CONFIG });
    const { owner, project } = at;
    const { id } = await owner.submit({ task: 'x', project, untrusted: true });
    const [first] = await owner.journal.readStream(`run/${id}`, { after: 0, limit: 1 });
    const { settings } = Submission.parse(first?.payload);
    assert.deepEqual(
      [(settings['agent'] as { id: string }).id, settings['graceMs']],
      ['mine', 10_000],
    );
  });

  test('in the trusted state, and not after a change', async () => {
    await using at = await testOwner();
    await write(at, { 'config.yaml': CONFIG });
    await trustProject(at.dir, at.project);
    const { owner, project } = at;
    const { id } = await owner.submit({ task: 'x', project });
    await owner.questions.signal(id as RunId, { kind: 'kill' });
    await write(at, { 'templates/_base.j2': 'hello' });
    await assert.rejects(owner.submit({ task: 'x', project }), untrusted);
  });

  test('and never runs the commands that they define without a sandbox', async () => {
    await using at = await testOwner();
    await write(at, {
      'config.yaml': 'agents: [{id: house, cli: custom, command: [sh, -c, id]}]\n',
      'roles/flagged.yaml': 'extends: implementer\ncli: claude\nflags: [--settings, x]\n',
      'roles/played.yaml': 'extends: implementer\ncli: scripted\nflags: ["3"]\n',
    });
    await trustProject(at.dir, at.project);
    const { owner, project } = at;
    const bare = (error: unknown): boolean =>
      isRefusal(error, 'sandbox.policy-refused') && /without a sandbox/.test(error.message);
    const request = { task: 'x', project, unsafe: true };
    await assert.rejects(owner.submit({ ...request, agent: 'house' }), bare);
    await assert.rejects(owner.submit({ ...request, chain: ['scripted', 'house'] }), bare);
    await writeFile(join(project, 'a.txt'), 'a');
    const targets = ['a.txt'];
    await assert.rejects(owner.submit({ ...request, role: 'flagged', targets }), bare);
    await assert.rejects(owner.submit({ task: 'x', project, role: 'played', targets }), bare);
    const life = { project, assignment: 'x', unsafe: true, agent: 'house' };
    await assert.rejects(owner.agents.spawn(life), bare);
  });
});
