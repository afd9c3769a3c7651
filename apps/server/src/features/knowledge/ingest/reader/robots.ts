import robotsParser, { type Robot } from 'robots-parser';

/** Its types say where a bundler would put it, not where Node does. */
const parseRobots = robotsParser as unknown as (url: string, text: string) => Robot;

export interface RobotsRequest {
  /** Of the robots.txt. */
  robotsUrl: string;
  text: string;
  /** Of the page. */
  url: string;
  userAgent: string;
}

export interface RobotsRule {
  isAllowed: boolean;
  crawlDelaySeconds: number;
}

/** Half a megabyte of wildcards against a long path takes seconds: it runs in a reader thread. */
export function checkRobots({ robotsUrl, text, url, userAgent }: RobotsRequest): RobotsRule {
  const robots = parseRobots(robotsUrl, text);
  return {
    isAllowed: robots.isAllowed(url, userAgent) !== false,
    crawlDelaySeconds: robots.getCrawlDelay(userAgent) || 0,
  };
}
