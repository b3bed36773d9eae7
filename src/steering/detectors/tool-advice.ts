import type { Detector } from '../anomaly.ts';
import type { PastFailure } from '../past-calls.ts';
import { turnsOf, withoutAnswers } from '../past-calls.ts';
import { isIterating } from './diversity-gate.ts';

/**
 * One tool keeps failing, or everything does, whatever the arguments are. A test or a compiler that fails is a finding,
 * and other exit codes of different commands are a search for the cause. So are single looks at things that are not there. None of
 * them is a problem of the tool.
 */
export const detectToolTrouble: Detector = ({ history: { failures }, thresholds }) => {
  const last = failures.at(-1);
  const counted = withoutAnswers(failures, isAnswer).filter(({ isTestRun }) => !isTestRun);
  if (last === undefined || isIterating(failures)) return null;
  const different = counted.findLastIndex(
    ({ tool, error }) => tool !== last.tool || error !== last.error,
  );
  const streak = last.error === 'execution' ? [] : counted.slice(different + 1);
  const ofTool = turnsOf(streak) >= thresholds['tool-advice.failures'];
  // Each call has brought another message: the agent is on its way.
  const isSearch = new Set(counted.map(({ output }) => output)).size === counted.length;
  const ofAll =
    !isSearch &&
    counted.length >= thresholds['tool-advice.failures_of_all'] &&
    turnsOf(counted) >= thresholds['tool-advice.failures'];
  if (!ofTool && !ofAll) return null;
  return {
    detector: 'tool-advice',
    words: ofTool
      ? `${last.tool} failed ${streak.length} times in a row (${last.error}).`
      : `The last ${counted.length} tool calls failed.`,
    action: ADVICE[last.error],
    since: (ofTool ? streak : counted)[0]?.turn ?? last.turn,
  };
};

function isAnswer({ isMissing, isFinding }: PastFailure): boolean {
  return isMissing || isFinding;
}

const ADVICE = {
  timeout: 'Run a smaller part, or run it in the background.',
  'not-found': 'List what is there before you name a file or a program.',
  permission: 'Work inside the project, where you may write.',
  syntax: 'Read how the tool takes its arguments, and write them to a file if quoting is hard.',
  network: 'Work without the network: it is closed, or the host is not allowed.',
  resource: 'Free space or memory first.',
  dependency: 'Install what is missing with the package manager of the project.',
  execution: 'Read the whole error before the next call.',
} as const;
