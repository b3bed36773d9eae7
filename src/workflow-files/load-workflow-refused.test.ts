import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import type { FixtureOptions } from '../../test/support/workflow-files-fixture.ts';
import { loadWorkflowText } from '../../test/support/workflow-files-fixture.ts';

const A = '/p/.supervisor/workflows/a.yaml';

describe('a workflow is refused, with file, line, key and the nearest name', () => {
  const cases: [why: string, text: string, ...messages: string[]][] = [
    ['an unknown key', 'step: {}', ':1:1: unknown key "step" (did you mean "steps"?)'],
    [
      'an unknown key of a step',
      'steps:\n  a: {rolle: planner}',
      ':2:7: unknown key "rolle" in steps.a (did you mean "role"?)',
    ],
    [
      'an unknown setting',
      'settings: {parallel_review: true}',
      ':1:12: unknown key "parallel_review" in settings (did you mean "parallel_reviews"?)',
    ],
    [
      'a section that belongs under settings',
      'continuity: {default_mode: fresh, max_continuation_turns: 3}',
      ':1:1: unknown key "continuity": write it under settings',
    ],
    [
      'conversations that continue by default',
      'settings: {continuity: {default_mode: continue, max_continuation_turns: 11}}',
      ':1:39: settings.continuity.default_mode: expected fresh: every other role begins a new conversation, found "continue"',
      ':1:73: settings.continuity.max_continuation_turns: expected a whole number from 1 to 10, found 11',
    ],
    [
      'roles that cannot continue a conversation',
      'steps:\n  a: {role: planner, next: b}\n  b: {role: implementer, next: c}\n  c: {role: reviewer}\nsettings: {continuity: {continuation_roles: [plannr, implementer, reviewer]}}',
      ':5:46: settings.continuity.continuation_roles[0]: no step has the role "plannr" (did you mean "planner"?)',
      ':5:54: settings.continuity.continuation_roles[1]: the role "implementer" writes code, and code is written by a fresh agent that sees the work as it is',
      ':5:67: settings.continuity.continuation_roles[2]: the role "reviewer" reviews, and a review is not bound to what it has said before',
    ],
    [
      'a token budget that is larger than any prompt may be',
      'limits: {max_token_budget: 60000}',
      ':1:28: limits.max_token_budget: expected a whole number from 500 to 50000, found 60000',
    ],
    [
      'a default that is larger than the maximum',
      'limits: {default_token_budget: 30000, max_token_budget: 20000}\nsteps: {a: {role: planner}}',
      ':1:32: limits.default_token_budget: expected at most 20000, which is max_token_budget, found 30000',
    ],
    [
      'a journal that is turned off',
      'settings: {audit_trail: false}',
      ':1:25: settings.audit_trail: expected true: the journal records every step, and cannot be turned off, found false',
    ],
    [
      'a name that is not that of the file',
      'name: b\nsteps: {a: {role: planner}}',
      ':1:7: name: expected "a", the name of the file',
    ],
    [
      'an unknown parent',
      'extends: enterprize',
      ':1:10: extends: no workflow is called "enterprize" (did you mean "enterprise"?)',
    ],
    ['a workflow that extends itself', 'extends: a', ':1:10: extends: a cycle: a → a'],
    [
      'an unknown step in next, on_fail and on_reject',
      'steps:\n  work: {role: implementer, next: check}\n  chek: {role: reviewer, on_fail: wrk, on_reject: plan}',
      ':2:35: steps.work.next: no step is called "check" (did you mean "chek"?)',
      ':3:3: steps.chek: no step leads to "chek": name it in next, on_fail or on_reject of another step, give it a position, or disable it',
      ':3:35: steps.chek.on_fail: no step is called "wrk" (did you mean "work"?)',
      ':3:51: steps.chek.on_reject: no step is called "plan"',
    ],
    [
      'an unknown first step',
      'initial_step: pln\nsteps: {plan: {role: planner}}',
      ':1:15: initial_step: no step is called "pln" (did you mean "plan"?)',
      ':2:9: steps.plan: no step leads to "plan": name it in next, on_fail or on_reject of another step, give it a position, or disable it',
    ],
    [
      'an unknown step in a position',
      'steps:\n  plan: {role: planner}\n  x: {role: planner, position: after plam}',
      ':3:3: steps.x: no step leads to "x": name it in next, on_fail or on_reject of another step, give it a position, or disable it',
      ':3:32: steps.x.position: no step is called "plam" (did you mean "plan"?)',
    ],
    [
      'a position that is none',
      'steps: {x: {role: planner, position: behind plan}}',
      ':1:38: steps.x.position: expected "after STEP" or "before STEP", found "behind plan"',
    ],
    [
      'an unknown disabled step',
      'steps: {plan: {role: planner}}\ndisable: [plam]',
      ':2:11: disable[0]: no step is called "plam" (did you mean "plan"?)',
    ],
    [
      'a required step that is disabled',
      'steps: {plan: {role: planner, required: true, next: b}, b: {role: reviewer}}\ndisable: [plan]',
      ':2:11: disable[0]: the step plan is required, so it cannot be disabled',
    ],
    [
      'a way back to a disabled step',
      'steps:\n  a: {role: implementer, next: b}\n  b: {gates: [test], on_fail: a}\ndisable: [a]',
      ':3:31: steps.b.on_fail: the step "a" is left out: name another step',
    ],
    [
      'an unknown role',
      'steps: {a: {role: plannr}}',
      ':1:19: steps.a.role: no role is called "plannr" (did you mean "planner"?)',
    ],
    [
      'an unknown reviewer',
      'steps: {a: {roles: [reviewer, reviewr]}}',
      ':1:31: steps.a.roles[1]: no role is called "reviewr" (did you mean "reviewer"?)',
    ],
    [
      'an unknown gate',
      'steps: {a: {gates: [tset]}}',
      ':1:21: steps.a.gates[0]: no gate is called "tset" (did you mean "test"?)',
    ],
    [
      'an unknown gate of a hook',
      'steps: {a: {role: planner}}\nhooks: {pre_commit: [lnt]}',
      ':2:22: hooks.pre_commit[0]: no gate is called "lnt" (did you mean "lint"?)',
    ],
    [
      'an unknown retry policy',
      'steps: {a: {role: planner, retry_policy: agressive}}',
      ':1:42: steps.a.retry_policy: no policy is called "agressive" (did you mean "aggressive"?)',
    ],
    [
      'an unknown output of another step',
      'steps:\n  plan: {role: planner, outputs: [phases], next: end}\n  end: {kind: commit, config: {message: "${plan.phase}"}}',
      ':3:41: steps.end.config.message: no step has the output "plan.phase" (did you mean "plan.phases"?)',
    ],
    [
      'an output that its answer does not have',
      'steps: {a: {role: planner, outputs: {p: phase.0}}}',
      ':1:41: steps.a.outputs.p: no field is called "phase" (did you mean "phases"?). Known: summary, status, phases, dependencies, estimated_components, risks',
    ],
    [
      'a gate whose command contains what an agent says',
      'steps: {a: {role: planner, next: b}, b: {command: "grep ${a.summary} x"}}',
      ':1:51: steps.b.command: ${a.summary} comes from an agent, and a check must not depend on what an agent says',
    ],
    [
      'a circle without a bound',
      'steps:\n  a: {role: planner, next: b}\n  b: {role: implementer, next: a}',
      ':2:28: steps.a.next: the steps go in a circle without a bound: a → b → a. No step ends the workflow: one must have no next. Only on_fail and on_reject may go back',
    ],
    [
      'a circle beside the way',
      'steps:\n  a: {role: planner, next: b, on_fail: c}\n  b: {role: planner}\n  c: {role: planner, next: c}',
      ':4:28: steps.c.next: the steps go in a circle without a bound: c → c. Only on_fail and on_reject may go back',
    ],
    [
      'a step that is terminal and has a next',
      'steps: {a: {role: planner, terminal: true, next: b}, b: {role: planner}}',
      ':1:50: steps.a.next: the step is terminal, so nothing comes after it',
    ],
    ['no step', 'description: d', ':1:1: steps: there is no step'],
    [
      'a review without reviewers',
      'steps: {a: {roles: []}}',
      ':1:9: steps.a: the list of roles is empty: name who reviews',
    ],
    [
      'a reviewer who is named twice',
      'steps: {a: {roles: [reviewer, reviewer]}}',
      ':1:31: steps.a.roles[1]: "reviewer" is given twice',
    ],
    [
      'a reviewer whose answer has no verdict',
      'steps: {a: {roles: [reviewer, planner]}}',
      ':1:31: steps.a.roles[1]: the role "planner" answers with the form plan, which has no verdict: a review needs a role with answer: review',
    ],
    [
      'the same for one role that can reject',
      'steps: {p: {role: planner, next: a}, a: {role: implementer, on_reject: p}}',
      ':1:48: steps.a.role: the role "implementer" answers with the form implementation, which has no verdict: a review needs a role with answer: review',
    ],
    [
      'a text marker',
      'steps: {a: {role: reviewer, gate: "LGTM: YES"}}',
      ':1:35: steps.a.gate: "LGTM: YES" is a text that an agent could simply print. A verdict is read from the answer: use BOTH_APPROVED, BOTH_PASSED or structured_json_only',
    ],
    [
      'a step that says nothing',
      'steps: {a: {next: b}, b: {role: planner}}',
      ':1:9: steps.a: says no role, roles, gates, command or kind, so it is unclear what it does',
      ':1:23: steps.b: no step leads to "b": name it in next, on_fail or on_reject of another step, give it a position, or disable it',
    ],
    [
      'a key without an effect',
      'steps: {a: {gates: [test], on_reject: a}}',
      ':1:39: steps.a.on_reject: has no effect on a step of the kind gate',
    ],
    [
      'a gate with two forms',
      'steps: {a: {gates: [test], command: make}}',
      ':1:9: steps.a: has gates and a command: give one of them',
    ],
    [
      'a quote that is not closed',
      'steps: {a: {command: "make \'x"}}',
      ':1:22: steps.a.command: a quote is not closed, or a backslash is at the end',
    ],
    [
      'two numbers of retries',
      'steps: {a: {role: planner, max_retries: 2, retry_policy: {max_attempts: 3}}}',
      ':1:41: steps.a.max_retries: retry_policy.max_attempts already says it: give one of them',
    ],
    [
      'reviews one after another that need no agreement',
      'steps: {a: {roles: [reviewer, reviewer_codex], agree: any, parallel: false}}',
      ':1:55: steps.a.agree: reviews one after another need the approval of all roles, not of any',
    ],
    [
      'no security review where one is demanded',
      'steps: {a: {role: planner}}\nsettings: {security_review: true}',
      ':2:29: settings.security_review: no step is a review by a security role: add one, such as role: security_auditor',
    ],
    [
      'no second review where one is demanded',
      'steps: {a: {roles: [reviewer]}}\nsettings: {dual_review: true}',
      ':2:25: settings.dual_review: no step has two roles that must both approve: add one with roles: [ROLE, ROLE]',
    ],
  ];
  for (const [why, text, ...messages] of cases)
    test(why, () =>
      refused({ 'p/a.yaml': text, 'b/enterprise.yaml': 'steps: {a: {role: planner}}' }, messages),
    );

  test('more than 50 steps', () => {
    const steps = Array.from({ length: 51 }, (_, nth) => {
      const next = nth === 50 ? '' : `, next: s${nth + 1}`;
      return `  s${nth}: {role: planner${next}}`;
    });
    return refused({ 'p/a.yaml': `steps:\n${steps.join('\n')}` }, [
      ':1:1: steps: 51 steps; the limit is 50',
    ]);
  });

  const ADD =
    'To add one, write in .supervisor/config.yaml, with your own command: gates: [{ name: test, command: [make, test] }]';
  test('a required gate that the project does not have', () =>
    refused(
      { 'p/a.yaml': 'steps: {a: {gates: [test], required: true}}' },
      [`:1:20: steps.a.gates: this project has no gate for test, and the step is required. ${ADD}`],
      { gates: [] },
    ));
  test('tests that are required in a project without gates', () =>
    refused(
      {
        'p/a.yaml':
          'steps: {b: {role: implementer, next: a}, a: {gates: [test]}}\nsettings: {require_tests: true}',
      },
      [`:2:27: settings.require_tests: no step runs a gate of this project. ${ADD}`],
      { gates: [] },
    ));
});

async function refused(
  texts: Readonly<Record<string, string>>,
  messages: readonly string[],
  options?: FixtureOptions,
): Promise<void> {
  await assert.rejects(loadWorkflowText('a', texts, options), (error) => {
    assert.ok(isRefusal(error, 'workflow.invalid'));
    assert.equal(error.message, messages.map((message) => `${A}${message}`).join('\n'));
    return true;
  });
}

test('an unknown workflow is refused with the nearest name', async () => {
  const texts = { 'b/enterprise.yaml': 'steps: {a: {role: planner}}' };
  await assert.rejects(loadWorkflowText('enterprize', texts), (error) => {
    assert.ok(isRefusal(error, 'workflow.not-found'));
    assert.equal(error.message, 'no workflow is called "enterprize" (did you mean "enterprise"?)');
    return true;
  });
});

test('a problem in the configuration of a project names that file', async () => {
  const texts = { 'b/enterprise.yaml': 'steps: {a: {role: planner}}' };
  const chosen = 'template: enterprise\noverrides:\n  a: {role: plannr}';
  await assert.rejects(loadWorkflowText('enterprise', texts, { chosen }), (error) => {
    assert.ok(isRefusal(error, 'workflow.invalid'));
    assert.equal(
      error.message,
      '/p/.supervisor/config.yaml:3:13: steps.a.role: no role is called "plannr" (did you mean "planner"?)',
    );
    return true;
  });
});
