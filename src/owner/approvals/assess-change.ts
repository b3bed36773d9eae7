/** Finds out how risky the work of a workflow is. Every changed file counts, not only those that a message can name. */
import type { ChangeFacts } from '../../approvals/risk.ts';
import { assessRisk } from '../../approvals/risk.ts';
import { parseRunId } from '../../base/ids.ts';
import type { Performer } from '../../engine/performer.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import { workspacePortsFor } from '../../execution/environments/environment.ts';
import { findApprovals } from '../../workspace/apply/approvals.ts';
import { gateTreeOfCommit } from '../../workspace/gate-tree.ts';
import { inspectProject } from '../../workspace/project.ts';
import { compareTrees } from '../../workspace/tree-entries.ts';
import { untestedCode } from './untested-code.ts';

type AssessPorts = Pick<ExecutionHost, 'git' | 'clock' | 'tagOf' | 'userDir' | 'stateDir'>;

export function assessChangePerformer(ports: AssessPorts): Performer<'assess-change'> {
  return {
    command: 'assess-change',
    perform: async (request) => {
      const { project, work, policy, gates, gateLimits = [], breaking } = request.input;
      const { coverage = null, unlisted = [] } = request.input;
      const run = parseRunId(work.run);
      if (run === undefined) throw new Error(`${JSON.stringify(work.run)} is no run`);
      const git = workspacePortsFor(ports, request);
      const home = ports.stateDir;
      const { root } = await inspectProject(git, { path: project, home });
      const workspace = { home, root, run, attempt: work.tree };
      const { repo, before, after } = await gateTreeOfCommit(workspace, work.commit, git);
      const changes = compareTrees(before ?? new Map(), after);
      // Also what runs by itself, such as a script in package.json: it decides about later work.
      const found = await findApprovals(repo, { before: before ?? new Map(), after, changes });
      const facts: ChangeFacts = {
        paths: changes.map(({ path }) => path),
        coverage,
        untested: [],
        gates,
        gateLimits,
        breaking,
        protectedPaths: [...new Set(found.map(({ path }) => path))],
      };
      const risk = assessRisk(facts, policy);
      // The lines of a file in the report are measured. New code that no test has loaded is in no report.
      const unmeasured = coverage === null ? facts.paths : unlisted;
      if (risk.tier !== 'low' || unmeasured.length === 0) return risk;
      const untested = await untestedCode({ repo, after }, unmeasured);
      return assessRisk({ ...facts, untested }, policy);
    },
  };
}
