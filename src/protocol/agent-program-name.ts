/** The name of the program of a long-lived agent, in a run's first fact. A page uses it too, so it needs no schema. */
export const AGENT_PROGRAM = 'agent';
