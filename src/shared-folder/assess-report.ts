/** Checks one report of an agent elsewhere, with the detectors that watch our own runs. Pure. */
import type { OrganizationRole } from '../protocol/contracts/organization-contract.ts';
import { TASK_DOMAINS } from '../protocol/contracts/organization-contract.ts';
import type { SaluteReport } from '../protocol/contracts/salute-contract.ts';
import type { PinnedSteering } from '../protocol/contracts/steering-contract.ts';
import type { Check } from '../steering/check.ts';
import { runCheck } from '../steering/check.ts';
import { policyFor } from '../steering/role-policy.ts';
import type { ConversationWatch } from '../steering/watch.ts';
import { NEW_WATCH } from '../steering/watch.ts';
import { historyOfReport, isNewWork } from './report-history.ts';

/** What is known about one role from its earlier reports. */
export type WatchedRole = {
  readonly report: SaluteReport | null;
  readonly watch: ConversationWatch;
};

export const NEW_ROLE: WatchedRole = { report: null, watch: NEW_WATCH };

/** Each report is one check: it comes as rarely as the role reports. */
export function assessReport(
  before: WatchedRole,
  report: SaluteReport,
  role: OrganizationRole,
  steering: PinnedSteering,
): { readonly after: WatchedRole; readonly check: Check } {
  const { watch } = isNewWork(report, before.report) ? NEW_ROLE : before;
  const history = historyOfReport(report, role, watch.history);
  const domain = TASK_DOMAINS.find((one) => one === report.activity.bst_domain) ?? null;
  const policy = policyFor(steering, {
    ...{ model: report.environment.model ?? '', name: null, member: { role, domain } },
  });
  const watched = { history, thresholds: policy.thresholds, role };
  const work = `${role.id} ${report.time.task_started}`;
  const check = runCheck(watch.check, watched, policy, work);
  return { after: { report, watch: { history, check: check.state } }, check };
}
