import { autoscalersFit, budgetsLetOnePodGo, poolsFitPostgres, streamsAreReplicated } from './availability';
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
import { dashboardsAreFound, monitorsFindServices } from './observability';
import {
  containersAreLocked,
  graceCoversTheShutdown,
  imagesArePinned,
  noServiceAccountTokens,
  podsAreSpread,
  podsRunAsNobody,
  probesAskTheMonitorPort,
  requestsAndLimitsAreSet,
  rollingUpdatesLoseNoPod,
  volumesAreHarmless,
} from './pods';
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
import { noSecretInPlainSight, secretsAreFiles, secretsAreReferences } from './secrets';

/** All rules of our own for the rendered objects of an overlay, by name. */
export const POLICIES: Readonly<Record<string, Policy>> = {
  probesAskTheMonitorPort,
  requestsAndLimitsAreSet,
  podsRunAsNobody,
  containersAreLocked,
  noServiceAccountTokens,
  imagesArePinned,
  volumesAreHarmless,
  podsAreSpread,
  graceCoversTheShutdown,
  rollingUpdatesLoseNoPod,
  configurationIsThere,
  filesAreMounted,
  identitiesAreThere,
  selectorsFindTheirPods,
  servicesReachPods,
  ingressesReachServices,
  statefulSetsHaveNames,
  noSecretInPlainSight,
  secretsAreReferences,
  secretsAreFiles,
  autoscalersFit,
  budgetsLetOnePodGo,
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
  dashboardsAreFound,
};
