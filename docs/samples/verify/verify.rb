# Receives calls of Parley. Start it with: SECRETS=whsec_… PORT=8080 ruby verify.rb
# WEBrick came with Ruby before 3.0; since then it is a gem of Ruby's own makers: gem install webrick
require "json"
require "openssl"
require "webrick"

SECRETS = ENV.fetch("SECRETS", "").split(",").reject(&:empty?) # two while you replace one
abort "Set SECRETS: an empty secret is one that everybody knows." if SECRETS.empty?

TOLERANCE_SECONDS = 300
MOST_BYTES = 1024 * 1024

# Headers are not signed, the body is: what both say must be the same.
FIELD_OF = {
  "Idempotency-Key" => "id",
  "X-Service-Event" => "type",
  "X-Service-Tenant-Id" => "tenantId",
  "X-Service-Environment-Id" => "environmentId", # null where an event concerns no environment
  "X-Service-Action-Id" => "actionId"
}.freeze

# Each secret against each signature, to the end: how long it takes tells nobody anything.
def signed?(request, body)
  given = request["X-Service-Signature"].to_s.split(",").grep(/\Av1=\h{64}\z/)
  expected = SECRETS.map { |secret| "v1=" + OpenSSL::HMAC.hexdigest("SHA256", secret, "#{request["X-Service-Timestamp"]}.".b + body) }
  given.product(expected).map { |one, other| OpenSSL.fixed_length_secure_compare(one, other) }.any?
end

def recent?(timestamp)
  timestamp.match?(/\A\d{10,11}\z/) && (Time.now.to_f - timestamp.to_i).abs <= TOLERANCE_SECONDS
end

def answer_to(request, body)
  return [401, "bad signature"] unless signed?(request, body)
  return [401, "too old, or from the future"] unless recent?(request["X-Service-Timestamp"].to_s)

  event = JSON.parse(body.dup.force_encoding("UTF-8"))
  return [400, "not an event"] unless event.is_a?(Hash)

  FIELD_OF.each do |header, field|
    return [401, "#{header} differs from the body"] unless event[field].nil? || request[header].to_s == event[field].to_s
  end
  # Your work begins here. Do that of one event["id"] once: the same event may come again.
  puts "#{event["type"]} #{event["id"]}"
  [200, "ok"]
rescue JSON::ParserError
  [400, "not JSON"]
end

$stdout.sync = true
server = WEBrick::HTTPServer.new(Port: ENV.fetch("PORT", 8080).to_i, AccessLog: [], Logger: WEBrick::Log.new(nil, 0))
server.mount_proc("/") do |request, response|
  # The bytes as they came: JSON that is written anew has another signature.
  body = request["Content-Length"].to_i <= MOST_BYTES ? request.body.to_s.b : ""
  response.status, response.body = answer_to(request, body)
  response["Content-Type"] = "text/plain"
end
%w[INT TERM].each { |signal| trap(signal) { server.shutdown } }
server.start
