/** Red gates that a person accepted, as scripts read them. */
import { z } from 'zod';
import { AcceptedGate } from '../protocol/words/accepted-gate.ts';
import { field } from './document.ts';

export const acceptedGates = field(
  z.array(AcceptedGate),
  'Gates that are red on the work and that a person accepted all the same, each with the name of that person.',
);
