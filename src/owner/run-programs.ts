/** The programs of all runs that the owner can resume. */
import { agentProgram } from '../agents/agent-program.ts';
import { attemptsProgram } from '../attempts/attempts-program.ts';
import { featureProgram } from '../plan/feature-program.ts';
import { planningProgram } from '../plan/planning/planning-program.ts';
import { ablationProgram } from '../workflow/ablation/ablation-program.ts';
import { bestOfProgram } from '../workflow/best-of/best-of-program.ts';
import { workflowProgram } from '../workflow/workflow-program.ts';

export const RUN_PROGRAMS = [
  attemptsProgram,
  agentProgram,
  workflowProgram,
  ablationProgram,
  featureProgram,
  planningProgram,
  bestOfProgram,
];
