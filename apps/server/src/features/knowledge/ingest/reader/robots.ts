import robotsParser, { type Robot } from 'robots-parser';

/** Its types are declared for bundlers, not for Node. */
const parseRobots = robotsParser as unknown as (url: string, text: string) => Robot;

export interface RobotsRequest {
  /** The URL of robots.txt. */
  robotsUrl: string;
  text: string;
  /** The URL of the page. */
  url: string;
  userAgent: string;
}

export interface RobotsRule {
  isAllowed: boolean;
  crawlDelaySeconds: number;
  /** The sitemaps that robots.txt names. */
  sitemaps: string[];
}

const maxSitemaps = 10;

/** Matching many wildcards against a long path takes seconds, so this runs in a reader thread. */
export function checkRobots({ robotsUrl, text, url, userAgent }: RobotsRequest): RobotsRule {
  const robots = parseRobots(robotsUrl, text);
  return {
    isAllowed: robots.isAllowed(url, userAgent) !== false,
    crawlDelaySeconds: robots.getCrawlDelay(userAgent) || 0,
    sitemaps: robots.getSitemaps().slice(0, maxSitemaps),
  };
}
