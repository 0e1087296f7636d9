import { graceCoversTheShutdown, poolsFitPostgres, streamsAreReplicated } from './availability';
import {
  ingressLimitsAreTheApps,
  namespaceIsRestricted,
  portsAreThoseOfTheApp,
  pageKnowsItsAddress,
  proxiesAreTrusted,
  variablesAreKnown,
} from './environment';
import {
  allowancesAreExact,
  everythingIsDeniedFirst,
  internetIsNotInside,
  onlyTheApiIsPublic,
  rulesFindPods,
  rulesNamePeersAndPorts,
} from './network';
import { monitorsFindServices } from './observability';
import type { Policy } from './policy';
import {
  configurationIsThere,
  filesAreMounted,
  identitiesAreThere,
  ingressesReachServices,
  selectorsFindTheirPods,
  servicesReachPods,
  statefulSetsHaveNames,
} from './references';
import { noSecretInPlainSight } from './secrets';

/**
 * All rules of our own for the rendered objects of an overlay, by name: what one object, or an app, says of another.
 * A field that is right by itself needs no second text that says so.
 */
export const POLICIES: Readonly<Record<string, Policy>> = {
  graceCoversTheShutdown,
  configurationIsThere,
  filesAreMounted,
  identitiesAreThere,
  selectorsFindTheirPods,
  servicesReachPods,
  ingressesReachServices,
  statefulSetsHaveNames,
  noSecretInPlainSight,
  poolsFitPostgres,
  streamsAreReplicated,
  everythingIsDeniedFirst,
  rulesNamePeersAndPorts,
  rulesFindPods,
  internetIsNotInside,
  allowancesAreExact,
  onlyTheApiIsPublic,
  variablesAreKnown,
  portsAreThoseOfTheApp,
  pageKnowsItsAddress,
  proxiesAreTrusted,
  ingressLimitsAreTheApps,
  namespaceIsRestricted,
  monitorsFindServices,
};
