import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DashboardRole } from '../../protocol/dashboard-access.ts';
import { mayAsk } from './page-rights.ts';

const run = '/v1/runs/0123456789';

describe('a page', () => {
  const cases: [why: string, role: DashboardRole, request: string, expected: boolean][] = [
    ['sees runs', 'read-only', `GET ${run}`, true],
    ['sees changes', 'read-only', `GET ${run}/diff`, true],
    ['follows everything', 'read-only', 'GET /v1/board/follow', true],
    ['leaves', 'read-only', 'POST /v1/session/end', true],
    ['that only reads decides nothing', 'read-only', `POST ${run}/decision`, false],
    ['that only reads stops nothing', 'read-only', `POST ${run}/signals`, false],
    ['of an operator decides', 'operator', `POST ${run}/decision`, true],
    ['of an operator answers', 'operator', `POST ${run}/answer`, true],
    ['of an operator sends messages', 'operator', `POST ${run}/messages`, true],
    ['of an operator forks a run', 'operator', `POST ${run}/fork`, true],
    ['of an operator dismisses an agent', 'operator', 'POST /v1/agents/0123456789/dismiss', true],
    ['of an operator changes the table', 'operator', 'POST /v1/agent-table', true],
    ['sees the table of agents', 'read-only', 'GET /v1/agent-table', true],
    ['that only reads changes no table', 'read-only', 'POST /v1/agent-table', false],
    ['that only reads starts no program', 'read-only', 'POST /v1/agent-table/test', false],
    ['that only reads dismisses nothing', 'read-only', 'POST /v1/agents/0123456789/dismiss', false],
    ['that only reads forks nothing', 'read-only', `POST ${run}/fork`, false],
    ['starts no agent', 'operator', 'POST /v1/agents', false],
    ['rejects no work of an agent', 'operator', 'POST /v1/agents/0123456789/reject', false],
    ['resumes nothing', 'operator', `POST ${run}/resume`, false],
    ['starts no run', 'operator', 'POST /v1/runs', false],
    ['schedules no run', 'operator', 'POST /v1/schedules', false],
    ['applies nothing', 'operator', `POST ${run}/apply`, false],
    ['copies nothing to a folder', 'operator', `POST ${run}/artifacts/copy`, false],
    ['gives no access to others', 'operator', 'POST /v1/dashboard/links', false],
    ['ends no owner', 'operator', 'POST /v1/owner/stop', false],
    ['takes no agent over', 'operator', `GET ${run}/takeover`, false],
    ['types into no terminal', 'operator', `POST ${run}/takeover`, false],
    ['opens no checkout', 'operator', `POST ${run}/edit`, false],
    ['does not see what a shell gave', 'operator', `GET ${run}/environment`, false],
    ['deletes nothing', 'operator', `DELETE ${run}`, false],
    ['has no way around by a longer path', 'operator', `POST ${run}/decision/../apply`, false],
  ];
  for (const [why, role, request, expected] of cases)
    test(`${why}: ${expected ? 'allowed' : 'refused'}`, () => {
      const [method = '', path = ''] = request.split(' ');
      assert.equal(mayAsk(role, method, path), expected);
    });
});
