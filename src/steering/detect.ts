/** Runs the detectors. A detector that throws is reported, and the others still count. */
import { describeError } from '../base/errors.ts';
import type { DetectorName, SteeringMode } from '../protocol/contracts/steering-contract.ts';
import { DETECTORS } from '../protocol/contracts/steering-contract.ts';
import { detectCascade } from './detectors/cascade.ts';
import { detectCompletionStall } from './detectors/completion-stall.ts';
import { detectContext } from './detectors/context-fullness.ts';
import { detectFalseRecovery } from './detectors/false-recovery.ts';
import { detectLoop } from './detectors/loop.ts';
import { detectNoOp } from './detectors/no-op.ts';
import { detectOscillation } from './detectors/oscillation.ts';
import { detectContingent } from './detectors/pace-contingent.ts';
import { detectEmergency } from './detectors/pace-emergency.ts';
import { detectFlapping } from './detectors/pace-flapping.ts';
import { detectStagnation } from './detectors/stagnation.ts';
import { detectStall } from './detectors/stall.ts';
import { detectToolTrouble } from './detectors/tool-advice.ts';
import type { Detector, Anomaly, Watched } from './anomaly.ts';

export type Detectors = Readonly<Record<DetectorName, Detector>>;

export const ALL_DETECTORS: Detectors = {
  'pace-emergency': detectEmergency,
  'pace-contingent': detectContingent,
  'pace-flapping': detectFlapping,
  cascade: detectCascade,
  context: detectContext,
  stall: detectStall,
  'completion-stall': detectCompletionStall,
  stagnation: detectStagnation,
  'no-op': detectNoOp,
  loop: detectLoop,
  oscillation: detectOscillation,
  'false-recovery': detectFalseRecovery,
  'tool-advice': detectToolTrouble,
};

export type DetectorDefect = { readonly detector: DetectorName; readonly message: string };

export type DetectorResults = {
  /** The most severe first. */
  readonly anomalies: readonly Anomaly[];
  readonly defects: readonly DetectorDefect[];
};

export function detect(
  watched: Watched,
  modes: Readonly<Record<DetectorName, SteeringMode>>,
  detectors: Detectors = ALL_DETECTORS,
): DetectorResults {
  const anomalies: Anomaly[] = [];
  const defects: DetectorDefect[] = [];
  for (const detector of DETECTORS) {
    if (modes[detector] === 'off') continue;
    try {
      const found = detectors[detector](watched);
      if (found !== null) anomalies.push(found);
    } catch (error) {
      defects.push({ detector, message: describeError(error) }); // a defect of the detector, never of the run
    }
  }
  return { anomalies, defects };
}
