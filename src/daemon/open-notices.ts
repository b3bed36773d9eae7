import { describeError } from '../base/errors.ts';
import type { Journal } from '../store/journal.ts';
import { deliverNotice } from './deliver-notice.ts';
import { Notices } from './notices.ts';
import type { OwnerOptions } from './owner.ts';
import { tagOfHome } from './state-hold.ts';
import type { Stories } from './stories.ts';

/** Undefined when nobody can be told of anything, which is no reason not to start. */
export async function openNotices(
  { clock, log, agentEnv: env, home }: OwnerOptions,
  journal: Journal,
  stories: Stories,
): Promise<Notices | undefined> {
  const ports = { clock, env, tag: `${tagOfHome(home)}/notices` };
  try {
    return await Notices.open({
      journal,
      clock,
      log,
      tell: (run, about) => stories.notice(run, about),
      deliver: (notify, notice) => deliverNotice(notify, notice, ports),
    });
  } catch (error) {
    log(`nobody is told of runs: ${describeError(error)}`);
    return undefined;
  }
}
