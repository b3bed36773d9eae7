/** Performs `survey`, which looks at the world before an agent is chosen, and `cool`, which lets one rest. */
import type { Clock } from '../base/clock.ts';
import { isoTime, at } from '../base/clock.ts';
import type { Json } from '../base/json.ts';
import type { Performer } from '../engine/performer.ts';
import type { CooldownBook } from './cooldown-book.ts';
import type { CoolInput, Survey, SurveyInput } from './survey.ts';
import type { UsesBook } from './uses-book.ts';

export type SurveyPorts = {
  readonly clock: Clock;
  readonly cooldowns: CooldownBook;
  readonly uses: UsesBook;
};

export function surveyPerformer({ clock, cooldowns, uses }: SurveyPorts): Performer {
  /**
   * With whom each project's next run begins its round, once this one has looked: runs that look before any
   * of them has begun would otherwise all begin with the same one.
   */
  const promised = new Map<string, string>();
  return {
    command: 'survey',
    perform: async ({ key, input }): Promise<Record<string, Json>> => {
      const { project, agents } = input as unknown as SurveyInput;
      const { attempts, firsts } = await uses.read();
      const identities = new Set(agents.map(({ identity }) => identity));
      const cooling = cooldowns.cooling().filter(({ identity }) => identities.has(identity));
      const lastFirst = promised.get(project) ?? firsts[project] ?? null;
      if (key === 'survey-1') {
        const rests = new Set(cooling.map(({ identity }) => identity));
        const first = followerOf(lastFirst, agents, rests);
        promised.delete(project);
        if (first !== undefined) promised.set(project, first);
        forgetOldest(promised);
      }
      const survey: Survey = {
        at: isoTime(clock.now()),
        cooling: cooling.map(({ identity, until, reason }) => ({
          identity,
          until: isoTime(at(until)),
          reason,
        })),
        uses: Object.fromEntries(
          [...identities].map((identity) => [identity, attempts[identity] ?? 0]),
        ),
        lastFirst,
      };
      return survey;
    },
  };
}

const PROMISES_MAX = 1000;

function forgetOldest(promised: Map<string, string>): void {
  const [oldest] = promised.keys();
  if (promised.size > PROMISES_MAX && oldest !== undefined) promised.delete(oldest);
}

/** The next one in the round that does not rest; where all do, simply the next. */
function followerOf(
  last: string | null,
  agents: SurveyInput['agents'],
  rests: ReadonlySet<string>,
): string | undefined {
  const place = agents.findIndex(({ id }) => id === last) + 1;
  const round = [...agents.slice(place), ...agents.slice(0, place)];
  return (round.find(({ identity }) => !rests.has(identity)) ?? round[0])?.id;
}

export function coolPerformer(cooldowns: CooldownBook): Performer {
  return {
    command: 'cool',
    perform: async ({ run, input }): Promise<Record<string, Json>> => {
      const { agent, identity, until, reason } = input as unknown as CoolInput;
      const untilMs = Date.parse(until);
      if (Number.isNaN(untilMs)) throw new Error(`${JSON.stringify(until)} is no time`);
      await cooldowns.cool({ agent, identity, run, until: untilMs, reason });
      return {};
    },
  };
}
