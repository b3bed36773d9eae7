import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentIdentity } from '../../attempts/choice/identity.ts';
import { firstState } from '../../plan/first-state.ts';
import { graphOf } from '../../plan/feature-state.ts';
import { featureSubmission } from '../../../test/support/feature-world.ts';
import { quotaOfFeature } from './feature-quota.ts';

test('the quota of a feature names the agents of each project, and the windows that are not reset yet', () => {
  const submission = featureSubmission({
    projects: '  api: { path: . }\n  web: { path: ../web }',
    phases:
      '  - { id: one, components: [{ id: a, files: [x], project: api }, { id: b, files: [x], project: web }] }',
  });
  const { agent } = submission.settings;
  const other = { ...agent, id: 'other', args: ['--other'] };
  const { web } = submission.settings.feature.projects ?? {};
  assert.ok(web !== undefined);
  const chosen = { ...web.settings, chain: [other, agent] };
  const roles = Object.entries(web.workflows['']?.roles ?? {}).map(([name, role]) => {
    return [name, { ...role, settings: { ...role.settings, ...chosen } }];
  });
  const [[, workflow] = assert.fail()] = Object.entries(web.workflows);
  const workflows = { '': { ...workflow, roles: Object.fromEntries(roles) } };
  const state = firstState({
    ...submission,
    settings: {
      ...submission.settings,
      feature: {
        ...submission.settings.feature,
        projects: { web: { ...web, settings: chosen, workflows } },
      },
    },
  });
  const [own, second] = [agentIdentity(agent), agentIdentity(other)];
  const window = { usedPercent: 80, resetAt: 500, at: 0, perAttempt: 5 };
  const counts = {
    windows: { [own]: { day: window, hour: { ...window, resetAt: 50 } } },
    open: {},
  };
  const quota = quotaOfFeature(state, counts, 100);
  assert.deepEqual([...quota.windows], [[own, [{ usedPercent: 80, perAttempt: 5, resetAt: 500 }]]]);
  const [a, b] = graphOf(state).components;
  assert.ok(a !== undefined && b !== undefined);
  assert.deepEqual([quota.agentsOf(a), quota.agentsOf(b)], [[own], [second, own]]);
  assert.equal(quota.attemptsOf(a), 1);
});
