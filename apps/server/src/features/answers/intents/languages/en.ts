import type { LanguageRules } from '../rules.ts';

export const en: LanguageRules = {
  filler: `please, pls, plz, ok, okay, k, so, well, um, uh, hmm, oh, ah, right now, now, asap, immediately, just, actually, really, sorry, excuse me, bot, chatbot, then, and, but,
    at this point, as soon as possible, if possible, for once, already, today, again, yes, yeah, yep, no, nah, nope, lol, man, mate, dude, love, dear, guys, all, everyone, honestly, seriously, alright, right, listen, look, here, there, very, too, as well,
    👋, 😊, 🙂, 😀, 😃, 😄, 😡, 😠, 🤬, 🙄, 🤖, 😂, 🤣, ☺, 😉, 😍, 🎉, ✨, 🍀, 🙈, 😅, 👌`,
  lists: {
    want: `i want, i need, i would like, id like, i wish, i wanna, i would prefer, id prefer, id rather, i would rather, want, need, i require,
      i demand, i am trying, im trying, i have to, i must, i wanted, let me, may i, can i, could i, can i please, could i please,
      is it possible, would it be possible, how do i, how can i, how could i, where can i, we want, we need, we would like, id love,
      i would love, i am looking, im looking, i was hoping, any chance i can, any chance i could, i prefer`,
    contact: `speak, talk, chat, speak directly, talk directly, chat live, get in touch, get in contact, communicate, get through, be connected, be transferred,
      be put through, get connected, be forwarded, escalate, escalate this, escalate it, discuss this, discuss it, have a word, have a chat, have a conversation,
      speak live, get help, get support, get assistance, correspond, connect, reach out, message, write`,
    person: `human, a human, human being, a human being, real human, a real human, actual human, an actual human, live human, a live human,
      person, a person, real person, a real person, actual person, an actual person, live person, a live person, another person, physical person, a physical person,
      agent, an agent, the agent, live agent, a live agent, human agent, a human agent, real agent, a real agent, support agent, a support agent,
      representative, a representative, rep, a rep, live rep, a live rep, customer rep, a customer rep, sales rep, a sales rep, human representative, a human representative,
      customer service representative, a customer service representative, service representative, a service representative,
      someone, somebody, someone real, somebody real, someone human, someone else, somebody else, anyone, anybody, someone alive,
      operator, an operator, the operator, human operator, a human operator, support person, a support person, support staff, staff, a staff member, staff member,
      a member of staff, member of staff, member of your staff, a member of your staff, a member of your team, a member of the team, someone from your team, someone on your team, someone from the team,
      someone from support, someone in support, someone from customer service, someone from customer support, someone in charge, somebody in charge,
      your team, the team, your support team, the support team, support team, your staff, the staff, your colleague, a colleague, one of your colleagues, your colleagues,
      customer service, your customer service, customer support, your customer support, customer care, support, your support, tech support, technical support, the support,
      manager, a manager, the manager, your manager, supervisor, a supervisor, your supervisor, the supervisor, your boss, the boss, the person in charge,
      an employee, employee, an advisor, advisor, an adviser, adviser, a consultant, an expert, a specialist, a human advisor, a real advisor, an assistant of flesh and blood,
      a human instead, human support, live support, human help, human assistance, a human person, people, real people, actual people, humans, real humans, a guy, a man, a woman, a technician,
      a human rep, human rep, real someone, someone who can help, someone who can actually help, someone who knows, a live operator, live operator, a real operator, live chat, a live chat`,
    certain: `human, humans, person, people, human being, someone, somebody, anyone, anybody, agent, agents, representative, rep, operator, adviser, advisor, advisors, consultant, consultants,
      specialist, specialists, expert, manager, supervisor, boss, colleague, colleagues, staff, employee, employees, team, support, customer service, customer support, customer care, sales,
      doctor, nurse, technician, engineer, lawyer, clerk, receptionist, assistant manager, him, them, department, helpdesk, help desk`,
    role: `human, humans, person, people, human being, someone, somebody, agent, agents, representative, representatives, rep, reps, operator, adviser, advisor, advisors, advisers, consultant, consultants,
      specialist, specialists, expert, experts, manager, managers, supervisor, boss, colleague, colleagues, staff, staff member, employee, employees, team, team member, support team, sales team, support, customer service, customer support,
      customer care, sales, sales department, sales rep, sales person, salesperson, doctor, nurse, technician, engineer, lawyer, clerk, receptionist, lady, gentleman, bloke, guy, man, woman, helpdesk, help desk, service team, account manager, banker, mechanic, planner`,
    verb: `speak, talk, chat, connect me, transfer me, put me through, get me, give me, find me, reach, get hold of, get in touch, get in contact, be connected, be transferred, be put through, get through, hand me over, pass me on, forward me, escalate, escalate this,
      have a word, have a chat, discuss this, discuss it, deal, communicate, speak directly, talk directly, hear, hear back, hear from, talk things over, talk it over, meet, message, i want, i need, i demand, i wanna, speaking, talking, chatting, want, let me have`,
    thank: `thanks, thank you, thank u, thankyou, thx, thnx, tnx, thks, thank, ty, tysm, cheers, ta, many thanks, big thanks, much thanks, a big thank you,
      a thousand thanks, i thank you, my thanks, merci, danke, gracias, warm thanks, thanks thanks, ok thanks`,
    insult: `idiot, idiots, stupid, dumb, moron, morons, useless, worthless, garbage, trash, rubbish, crap, crappy, shit, shitty, bullshit, pathetic, retarded, retard,
      asshole, assholes, arsehole, bastard, bastards, bitch, dick, dickhead, cunt, wanker, twat, jerk, loser, losers, fool, imbecile, dumbass, dumb ass, scum, liar, liars, thief,
      thieves, scammer, scammers, crook, crooks, terrible, awful, horrible, disgusting, ridiculous, annoying, incompetent, clueless, brainless, hopeless, lousy, bullshitter,
      joke, a joke, scam, a scam, fraud, frauds, the worst, worst, nonsense, dumbest, stupidest, crap bot, shit bot, stupid bot, dumb bot, useless bot, bad, a disgrace, disgrace, an insult, insane, mad, crazy,
      motherfucker, fucker, pig, pigs, cow, whore, slut, nazi, psycho, sick, ugly, fake, unbelievable, unacceptable, a nightmare, nightmare, a waste of time, waste of time, blind, deaf, dense, thick, slow`,
    bot: `bot, a bot, the bot, this bot, robot, a robot, this robot, the robot, machine, a machine, this machine, computer, a computer, ai, an ai, this ai, chatbot, a chatbot, this chatbot, program, a program,
      automated system, automatic replies, automated replies, automated responses`,
  },
  phrases: {
    human: `
      <person>
      ~ <verb> [live|directly|personally|now|please] [to|with] [one of|any of|somebody from|someone from|somebody in|someone in|somebody at|someone at|anyone from|anybody from] [your|the|a|an|some] [real|actual|live|human|nice|friendly|qualified|senior|competent] <role>
      ~ (speak|talk|chat|speaking|talking|chatting) (to|with) … <certain>
      ~ (someone|somebody|anyone|anybody|one of your|a member of|<role>) [from|in|at|of|on] [your|the] [team|staff|company|clinic|shop|store|office|support|sales|service|department|bank|branch|sales team|support team|sales department|customer service|side] [department|team|please|kindly|to] (contact|call|phone|ring|email|message|get in touch|get back to|reach out|reach|help|assist|reply to|give me a|give us a|look at|look into|take over|answer|write to|visit|advise|explain) …
      ~ (get|have|ask|let|want|need|make|tell|send|would like|id like) [me|us] (someone|somebody|anyone|a|an|one of your|your|the|some) [nice|real|actual|human|friendly|other] [<role>] [or] [<role>] [from] [your|the] [team|staff|support|sales] [to] (contact|call|phone|ring|email|message|get in touch|get back|reach|help me|assist|reply|take over|look at|look into|on the line|on the phone)
      ~ (be|get|to be|being) (phoned|called|contacted|rung|helped|assisted|served|advised|connected|transferred|put through|emailed) [back] [by|to|with] …
      ~ (phoned|called|contacted|rung) [back] by (someone|somebody|a|an|one|your)
      ~ (request|requesting|want|need|get|have|arrange|schedule|book|like|prefer|expect|please) [a|an] (callback|call back|phone call|telephone call|call from|personal call|call with)
      (callback|call back|please call|phone call) [request|please|requested|needed|wanted|me]
      ~ (call|phone|ring) me [back] (please|now|today|tomorrow|on|at|asap|when)
      ~ (please|can you|could you|will you|would you|kindly|just) (call|phone|ring) me
      ~ give (me|us) a (call|ring|bell|buzz|callback|call back)
      ~ (human|a human|real person|a real person|real human|live agent|human being|agent|operator|representative|someone real|actual person|live person|manager) (please|pls|plz|now|asap|immediately|required|needed|instead)
      ~ (prefer|rather|want|need|like|only|just) [to] [have|deal with|speak to|talk to|see|get] [a|an|some|real|only] [real|live|actual] (humans|people|human|human being|human contact|human touch)
      ~ (humans|people|real people|human) (only|instead|not bots|not robots|not machines)
      ~ (no|not|without|skip|bypass|avoid) [a|an|the|any|more|this|these|your] (bots|robots|machines|bot|robot|machine|computers|chatbot|chatbots|ai)
      ~ whos (your|the) (manager|boss|supervisor)
      ~ (real|actual|living) (bloke|guy|lady|man|woman|gentleman|fella|human|person|people|agent|someone)
      ~ (human|personal|live) (contact|interaction|assistance|support|help|advice|conversation|agent|representative|operator|chat)
      (real|actual|live) (human|person|agent|people) [only|here]
      ~ <want> [to|get to|be able to] <contact> [live|directly|on the phone|over the phone] [to|with] <person>
      ~ <want> [to] (reach|contact|see|get|get hold of|get a hold of|call|phone|ring|have|find|deal with|hear from|meet) [to] (<person>)
      ~ (i want|i need|i would like|id like|i demand|i require|i wanna|want|need|i prefer|id prefer|we need|we want) [to have] <person>
      (i want|i need|i would like|id like|i demand|i require|i wanna|want|need|i prefer|id prefer|we need|we want) <person> [to help me|to help|to answer|to call me|to look at this|to handle this|who can help]
      ~ (i want|i need|i would like|id like|i demand|i wanna|i prefer|id prefer) (a|an) (real|actual|live|human|physical) …
      ~ (speak|talk|speaking|talking|chat|chatting) (to|with) [a|an|some|your|the] (real|actual|live|human|physical) (person|human|agent|people|being|one|rep|representative|operator|advisor|adviser)
      (speak|talk|speaking|talking|chat|chatting|connect|transfer) [me] [to|with] <person>
      (speak|talk|chat) [to|with] (agent|human|person|representative|rep|operator|support|someone)
      ~ (put me through|connect me|transfer me|pass me|hand me|hand me over|hand me off|forward me|redirect me|switch me|escalate me|patch me through|route me|direct me|refer me|bring me|send me|escalate this|escalate|transfer this|transfer this chat|transfer the chat|hand this|hand this over|hand over|pass this|pass this on|forward this|transfer) [over|on|through] (to|with) <person>
      ~ (connect|transfer|escalate) me [please|now|to someone|to somebody]
      (put me through|connect me|transfer me|transfer|escalate|escalation|hand over|handover|handoff) [please|now]
      ~ (get me|give me|find me|fetch me|bring me|show me|gimme|let me have|call me|send me|bring in|bring on|call|get) <person>
      ~ (is|are|isnt|arent) there <person> [there|here|available|online|who|i|that|around|on]
      ~ (is|are) <person> (there|here|available|online|around|awake|listening|reachable)
      ~ (any|some) (human|humans|person|people|agent|agents|staff|real person|real people|representative|operator|operators) (there|here|available|online|around|free|i can|who can|that can)
      ~ (anyone|anybody|someone|somebody) (there|real|human|i can talk to|i can speak to|i can speak with|i can talk with|who can help me)
      ~ (can|could|may|will|would) (<person>) [please|just|actually] (help me|call me|contact me|help|assist me|take over|get back to me|reply to me|answer me|get in touch|reach out|look into|talk to me|speak to me|speak with me|talk with me|join|step in|write to me|email me|phone me|ring me|message me|take a look|have a look|look at|answer|come)
      ~ (have|ask|get|let|tell) <person> [to] (call|contact|help|message|email|phone|take over|answer|join|get back|reply|reach|respond|look|handle|write)
      ~ (dont|do not|wont|will not|not|never) (want|like|wish|going|gonna|trust|need|talking|speaking|chatting) [to|with] [talk|speak|talking|speaking|chat|chatting|deal|dealing|communicate|be talking|a|the] [to|with] <bot>
      ~ (not|instead of|rather than|no more|sick of|tired of|fed up with|stop with the|no|without|hate|enough of|enough with|done with|had enough of) [talking to|speaking to|chatting with|talking with|dealing with|a|the|this|these|your] <bot>
      ~ (help|support|assistance|answers|answer|service|an answer|a reply|a response) from <person>
      ~ (a|an) (actual|real|live|living|breathing) (human|person|human being|agent|people)
      ~ (switch|change|move|go) (to|over to) (a human|human|a person|an agent|live agent|a real person|live chat|human support|a representative)
      ~ (contact|reach|call|phone) (a human|a person|a real person|an agent|a live agent|a representative|an operator|someone real|a real human|a human being|somebody real)
      ~ (speak|talk|speaking|talking) to (someone|somebody|a person|a human|an agent|people|your manager|the manager|a manager|a representative|an operator|a supervisor|your supervisor|staff|support|customer service|your team|customer support|your colleague|a colleague)
      ~ (speak|talk|chat) with (someone|somebody|a person|a human|an agent|people|your manager|the manager|a manager|a representative|an operator|a supervisor|staff|support|customer service|your team|customer support|a colleague)
      [live] (chat|help|support|assistance) (agent|person|human|with a human|with a person|with an agent)
      (live|human) (chat|help|support|assistance|service|contact|agent|operator|please)
      (call|phone|ring) me [back]
      (agent|human|operator|representative|person) (agent|human|operator|representative|person|only|now|needed|required|wanted)
      ~ (not a|not an) <bot> [but] [a|an] (human|person|real person|agent)
      ~ (let me|lemme) (speak|talk|chat) (to|with)
      ~ (are you|is this) not [a] (human|person) … (i want|i need|get me|give me)
    `,
    stop: `
      (stop|cancel|quit|exit|abort|end|enough|halt|stop it|stop that|stop this|stop now|stop talking|stop writing|stop texting me|stop messaging me|be quiet|shut up|leave me alone|go away|thats enough|that is enough|no more|no more messages|end chat|end the chat|end this chat|close chat|close the chat|close this chat|end conversation|end this conversation|end the conversation|unsubscribe|forget it|never mind|nevermind|nvm|cancel that|cancel this|dont bother|drop it|forget about it|leave it|i changed my mind|i have changed my mind|ive changed my mind|no thanks|no thank you|nothing|not now|not interested|im not interested|i am not interested|im done|i am done|were done|that will be all|stop please|please stop|i quit)
      (stop|quit) (writing|messaging|texting|sending|answering|replying|talking|responding|bothering|annoying|spamming|contacting) [to] [me|messages|us|this|it|these messages|me messages]
      (can|could|would|will) you [just] (stop|be quiet|leave me alone|shut up|go away|stop it|stop that|stop now|stop writing|stop messaging me)
      (i want|i would like|id like|i wish|i want you) to (stop|quit|cancel|end this|end the chat|close the chat|end this chat|end this conversation|leave|leave the chat)
      [lets] (end|close|finish|leave|exit|quit|stop|terminate) (this|the|our) [chat|conversation|session]
      (i dont|i do not) (want|need|wish) (to continue|this anymore|this|to talk anymore|to chat anymore|anything|any more messages|more messages|anything else|to go on)
      (no|nah|nope) (forget it|never mind|nevermind|leave it|stop|thanks|thank you|thats ok|thats fine|its fine|its ok)
    `,
    abuse: `
      [you] (fuck|fuck you|fuck off|fu|fck you|f you|screw you|piss off|sod off|bugger off|shut the fuck up|stfu|go to hell|go fuck yourself|eat shit|bullshit|shit|crap|damn|damn it|damn you|wtf|what the fuck|what the hell|kiss my ass|suck it|up yours|get lost|kill yourself|drop dead|bite me|bloody hell|motherfucker|go fuck yourselves|fuck this|fuck that|fuck your company)
      [you] [are|youre|ur|r|u|a|an|such a|such an|fucking|bloody|stupid|damn|dumb|complete|total|utter|absolute|real|lazy|ugly|you|dirty|useless|worthless|little] <insult>
      (you|u|youre|you are|ur|you re|u r) [all] [are] [such|so|just|really|very|a|an|the|totally|completely|absolutely|fucking|bloody|a complete|a total|an absolute|such a|such an|a bunch of|the most|nothing but|a fucking|a stupid|a bloody|a real|quite|as] [worst|biggest|most] <insult> [bot|robot|machine|thing|chatbot|ever|program|ai|as hell|in the world|i have ever seen|people]
      [what] [a|an] [fucking|bloody|load of|piece of|complete|total|absolute|utter] <insult> [bot|robot|machine|chatbot|thing|service|company|website|app|shop|ai]
      (this|this bot|the bot|your bot|this chatbot|this thing|this chat|your chatbot|this service|your service|your company|this company|this website|your website|this site|it|that|this shop|your shop|this app|everything here|this ai|your ai) (is|s|are) [such|so|just|really|very|a|an|the|totally|completely|absolutely|fucking|bloody|a complete|a total|an absolute|such a|a load of|a piece of|utter|complete|pure|the worst|utterly|freaking] <insult> [bot|chatbot|thing|ever]
      (i hate|i fucking hate|i despise|everyone hates|i really hate) (you|this bot|this chatbot|this|your company|this company|you all|your bot|you guys|this shop|your shop|this service|your service|this website|this thing|bots|chatbots)
      (you|this|it|this bot|your bot|your company|your service|this chatbot|this company|this shop|this service|your website|bots|chatbots) [really|fucking|totally|all|seriously|just] (suck|sucks|stink|stinks|blow|blows|disgust me|disgusts me|blows chunks)
      (what is|whats) wrong with you
      (are you|r u) [really|that|so|fucking|this|just|always|actually|completely|a|an|such a] <insult> [or what|or something|today]
      (burn|rot|die|go die) [in hell]
      (go|just go) (die|kill yourself|to hell)
      (son of a bitch|piece of shit|pile of shit|load of crap|load of rubbish|waste of time|waste of space|what a joke|pathetic joke|bunch of crooks|bunch of idiots|bunch of thieves|bunch of liars|bunch of scammers|what a waste of time|what a bunch of idiots)
      (you|youre|you are) [a|such a|just a|nothing but a] (piece of shit|piece of crap|pile of shit|waste of time|waste of space|joke|scam|son of a bitch|bunch of crooks|bunch of idiots|bunch of thieves|bunch of liars)
    `,
    identity: `
      (who|what) [exactly|the hell|on earth] (are|r) (you|u) [exactly|actually|really|then|called|anyway]
      (who|what) is this [exactly]
      who (am i|i am|im) (talking|speaking|chatting|writing) (to|with) [here|right now]
      (whom|who) do i have the pleasure of (talking|speaking) (to|with)
      [so|but] (are you|is this|are u|r u|am i talking to|am i speaking to|am i speaking with|am i chatting with|am i talking with|is it|is that|is there|do i talk to|do i speak to) [really|actually|even|just] [a|an|some|the] [real|actual|live|automated|human|fellow|living] (bot|robot|human|person|machine|computer|ai|chatbot|human being|real person|someone real|artificial intelligence|program|agent|assistant|virtual assistant|real|alive|automated|chatgpt|gpt|man|woman|language model|employee) [or|or not] [a|an|really|just] [real|actual|live] [human|bot|person|machine|robot|computer|human being|ai|not|what|chatbot|someone real|real person]
      (whats|what is|what s|tell me|may i know|may i ask|can i know|can you tell me|could you tell me|do you have) (your name|a name|who you are|what you are|who am i talking to|your name please)
      (do you|have you) (have|got) a name
      what (should|can|do|may) i call you
      (what|how) are you called
      (introduce yourself|tell me about yourself|tell me something about yourself|tell me who you are|identify yourself|name)
      (what|who) (kind|sort|type) of (bot|robot|ai|assistant|program|thing|chatbot) are you
      (what) (can|could|do) you [actually|even|really] (do|help with|help me with|know|do for me|help) [for me]
      (what are you|what you are) (able to do|capable of|good for|for|here for|doing here)
      (how can|what can) you (help|do) [me] [with|for me]
      (how|what) [do] you work
      (who|which company) (made|created|built|programmed|developed|wrote|owns|trained|designed|runs) you
      (what) (is|s|are) (this bot|this chat|this chatbot|this thing|you) [for|about]
      what (is|are) (your|you) (purpose|job|role|function|tasks|task|for)
      (are you|is this) (even|actually) (real|human|a human|a person|a real person|a bot)
      (which|what) (ai|model|language model|bot|chatbot) (are you|is this|do you use|am i talking to)
      (whats|what is) this [chat|bot|thing|here]
      (you|u) (a bot|a robot|human|real|a person|a human|ai|an ai)
    `,
    thanks: `
      [oh|ah|wow|great|perfect|cool|nice|awesome|alright|all right|super|excellent|wonderful|brilliant|lovely|yes|yep|yeah|got it|good|understood|aha|fine|fantastic|i see|makes sense|that helps|that helped] <thank> [so much|very much|a lot|a bunch|a million|a ton|tons|again|loads|anyway|heaps|kindly|indeed|for now|all|everyone|both|guys|bot|very kindly|a million times|once again|in advance|already|though] [for] [all|the|your|this|that|all of|all the|all your|such a|a] [quick|great|kind|fast|useful|good|clear|prompt|detailed|lovely] [help|support|information|info|answer|reply|response|assistance|time|service|patience|effort|tip|link|explanation|helping|helping me|helping out|clarifying|the help|your help|letting me know|answering|advice|details|hint|heads up|work|kindness|explaining|it|that|this|everything|your time|me] [out|me] 
      (i|we) [really|truly|very much|greatly|so|do] (appreciate|thank) (it|that|this|you|your help|the help|all your help|your time|the quick reply|the quick response|your support) [so much|very much|a lot|again|for your help|for everything]
      (much|really|very much|greatly) appreciated
      [that was|thats|that is|this is|this was|it was|thats been|that has been|you are|youre|you were|you have been|youve been|really|very|so|super|wow|extremely|how] [very|really|so|super|extremely|most|a|such a|too|quite|exactly] (helpful|useful|great help|big help|great|kind of you|nice of you|perfect|awesome|what i needed|lifesaver|a lifesaver|star|legend|kind|of great help|life saver) [thanks|thank you|cheers|ta|to me]
      (that|this|it) [really|already|has|just|totally|definitely] (helps|helped|helps me|helped me|answers my question|answered my question|solved it|solved my problem|solves it|worked|works|did it|does it|fixed it|did the trick|solves my problem) [a lot|very much|so much|thanks|thank you|perfectly|great|now|out]
      (great|perfect|cool|nice|awesome|super|excellent|wonderful|brilliant|lovely|amazing|fantastic|good|sweet|neat|alright|got it|good to know|great stuff|nice one|great job|good job|well done|great help|good bot|great work|excellent work|nice work|i appreciate it|appreciate it|appreciated|very kind|very nice|all good|much obliged|thats great|thats perfect|thats good|thats wonderful|thats awesome|thats it|thats all|thats all i needed|that was all|that is all|that is perfect|that is great|youre the best|you are the best|you rock|you are great|youre great|youre awesome|you are awesome|you are amazing|youre amazing|i love you|love you|love it|i love it|bless you|god bless|god bless you|problem solved|solved|happy now|🙏|👍|❤|🙏 🙏|👍 👍|😊|💯)
    `,
    goodbye: `
      [ok|okay|alright|well|thanks|thank you|thx|great|perfect|cool|right|all right|good|cheers|fine|thanks a lot|thank you very much|thanks for your help|thank you for your help|so|and|thats all|that is all|got it] [then|and|for now|very much|so much|thats all] (bye|bye bye|byebye|bye for now|goodbye|good bye|good night|goodnight|gnight|see you|see ya|cya|see you later|see you soon|see you tomorrow|see you next time|see you around|see u|later|laters|talk to you later|talk later|talk soon|talk to you soon|ttyl|farewell|so long|take care|have a nice day|have a good day|have a great day|have a lovely day|have a good one|have a nice one|have a nice evening|have a good evening|have a great evening|have a nice weekend|have a good weekend|have a great weekend|have a lovely weekend|have a lovely evening|have a good night|have a wonderful day|have a great one|enjoy your day|enjoy your weekend|enjoy your evening|until next time|till next time|until later|until tomorrow|catch you later|catch ya later|catch you soon|cheerio|ciao|adios|au revoir|toodles|ta ta|tata|peace out|peace|im off|i am off|im leaving|i am leaving|im out|i am out|gotta go|got to go|i gotta go|i have to go|i must go|i need to go|i should go|ive got to go|ive gotta go|i have to leave|i have to go now|signing off|logging off|over and out|all the best|best regards|kind regards|best wishes|until we meet again|nice talking to you|nice chatting with you|it was nice talking to you|it was nice chatting|good talking to you|pleasure talking to you|it was a pleasure|that will be all|👋|👋 👋|so long then|be well|stay safe|bye then|goodbye then|im going now|i am going now|im done here|cheers bye|see you then|speak soon|speak to you soon|speak later|i will be back|ill be back|brb|be right back) [then|now|and|everyone|all|bot|again|guys|for now|folks|friend|my friend|take care|bye|goodbye|have a nice day|have a good day|have a great day|have a nice weekend|see you|👋|thanks|thank you|thanks for your help|thank you for your help|thanks a lot|soon|later|too|you too|tomorrow|mate|buddy|robot]
    `,
    greeting: `
      (hi|hii|hello|hey|heya|hiya|hallo|hullo|howdy|yo|sup|wassup|whats up|greetings|good day|gday|good morning|good afternoon|good evening|morning|afternoon|evening|hey ho|hi there|hello there|hey there|hello again|hi again|hey again|aloha|salutations|hail|ahoy|good day to you|good morning to you|helo|hy|ello|oi|👋|😊|🙂|hola|bonjour|namaste|hi hi|hello hello|ping|test|testing|hello world) [there|all|everyone|everybody|team|bot|chatbot|guys|folks|friend|my friend|mate|sir|madam|maam|sir or madam|ladies and gentlemen|dear team|robot|buddy|man|you|to you|to you all|again|support|assistant|people|ladies|gentlemen|dear|world|morning|good morning|good afternoon|good evening|anyone there|anybody there|is anyone there|is anybody there|are you there|you there|who is there|👋|😊|🙂]
      [hi|hello|hey|hiya|hi there|hello there|hey there|good morning|good afternoon|good evening|howdy] (how are you|how are you doing|how are you today|how are you doing today|hows it going|how is it going|how do you do|how are things|hows your day|how is your day|how r u|how are u|hows everything|whats up|what is up|whats new|you ok|are you ok|you alright|you there|are you there|nice to meet you|pleased to meet you|pleasure to meet you|good to see you|nice to see you|long time no see|how have you been|how goes it|how you doing|are you well|i hope you are well|hope you are well|i hope you are doing well|hope youre well|hope you are having a good day) [today|going|bot|friend|there|buddy|my friend]
      (i have|ive got|i got|i have got|got) (a question|a quick question|some questions|a few questions|a problem|an issue|a request|an enquiry|an inquiry|questions|a small question|another question)
      (can|could) (you|i) (help me|help|ask you something|ask something|ask a question|ask you a question|ask a quick question|help me out|help me with something|help me please|assist me)
      (i need|i want|i require|need) (help|some help|assistance|your help|support|some assistance|some support|a hand|some information|information|some advice|advice)
      (help|help me|question|a question|quick question|start|get started|begin|lets start|menu|info|information|i have something to ask|may i ask a question|can i ask a question|may i ask you something|can i ask you something|please help|please help me|anyone there|anybody there|is anyone there|is anybody there|somebody there|are you there|you there|are you online|are you awake|hello can you hear me|can you hear me)
    `,
  },
  cues: {
    human: `
      (human|humans|real person|live person|agent|representative|operator|callback|call back|supervisor|real people|live chat|human being|customer service|advisor|adviser)
      (someone|somebody|anyone|anybody|one of your|person|people|manager|colleague|staff) … (call|contact|phone|ring|help|email|speak|talk|touch|reach)
      (call|phone|ring|contact|email) (me|us)
      (speak|talk|chat) (to|with)
    `,
    stop: `
      (stop|stopp|cancel|quit|exit|abort|terminate|never mind|nevermind|forget it|shut up|be quiet|leave me alone|go away|no thanks|no thank you|no need|not interested|unsubscribe|enough|dont bother|dont worry|leave it|drop it|changed my mind|no ta|hide|turn off|turn this off|im good|im fine|all sorted|start over|wrong chat|wrong window|ignore that|i dont want|not now|close this|back out)
      (end|close|finish|shut|leave|minimize|minimise|disable) … (chat|conversation|window|session|this|it|bot|down)
      no [i|that] (dont|do not|didnt)
    `,
    abuse: `
      (fuck|fucking|fucked|fck|fuk|f off|shit|shite|shitty|shitshow|crap|bullshit|bollocks|wtf|ffs|stfu|gtfo|damn|idiot|idiots|idiotic|moron|morons|moronic|stupid|dumb|dumbest|dumber|useless|worthless|garbage|trash|pathetic|asshole|arsehole|ass|arse|bastard|bastards|bitch|dick|dickhead|cunt|wanker|wankers|twat|prick|jerk|loser|losers|imbecile|dumbass|scum|liar|liars|thieves|crooks|scammers|scam|ripoff|rip off|disgusting|incompetent|clueless|brainless|cretin|clown|clowns|muppet|muppets|numpty|pillock|git|sucks|suck|screw you|piss off|sod off|bugger off|hell|hate you|waste of space|waste of time|thick as|braindead|brain dead|bankrupt|joke|🖕|💩|🤬|rubbish|disgrace|nonsense|retard|retarded|ashamed|bloody)
    `,
    identity: `
      (are you|r u|are u|youre|am i|is this|is it|is that|you a|is there) … (bot|robot|human|person|machine|computer|ai|chatbot|program|real|automated|chatgpt|gpt|siri|alexa|man|woman|guy|gender|alive|artificial|model|employee|script|software|someone|live|typing|based|intelligent|clever|smart|old|from|called|trained)
      (who|what|wat) (are|r|is) (you|u|this|ur|your) 
      (your|ur) (name|purpose|job|capabilities|gender|age|creator|developer|maker|function|role|skills)
      (who|which company|what company|which ai|which model|what ai|what model|what language model|which language model) … (you|this|made|built|created)
      (able to do|capable of|good at|introduce yourself|about yourself|do you work here|where are you from|how old are you|languages do you speak|are you called|call you|how intelligent|how smart|computer generated|written by a)
    `,
    goodbye: `
      (bye|byebye|goodbye|good bye|good night|goodnight|gn|night night|nighty night|see you|see ya|cya|cu|catch ya|catch you|laters|farewell|take care|cheerio|toodle|toodles|ciao|hooroo|ta ta|tata|ttyl|signing off|logging off|im off|be off|gotta go|got to go|have to go|must go|need to go|gotta run|have to run|got to run|kind regards|best regards|regards|all the best|best wishes|that will be all|thats all|thats everything|that was everything|until next time|till next time|speak soon|talk soon|talk later|come back|be back)
      (have|enjoy) … (day|evening|weekend|night|one|afternoon|week|time|holiday|holidays|christmas)
    `,
    thanks: `
      (thank|thanks|thankyou|thx|thnx|ty|tysm|tx|tks|cheers|ta|grateful|appreciate|appreciated|obliged|helpful|helped|lifesaver|life saver|legend|star|great|perfect|awesome|brilliant|excellent|wonderful|lovely|fantastic|amazing|superb|nice one|good job|well done|good bot|best|impressed|respect|solved|sorted|works now|working again|it works|it worked|did the trick|makes sense|all clear|clear now|found it|exactly what i|just what i|good to know|understood|got it|answers my question|you rock|love it|love you|🙏|👍|❤|super|cool|sweet|spot on|grand|kudos|bless you)
    `,
    greeting: `
      (hi|hii|hello|hallo|hey|heya|hiya|howdy|yo|sup|greetings|good day|gday|good morning|good mornin|morning|good afternoon|good evening|evening|dear sir|dear madam|dear team|to whom it may concern|how are you|hows it going|how is it going|how do you do|whats up|you there|anyone there|anybody there|anyone home|are you online|are you available|alright mate|merry christmas|happy new year|happy easter|happy monday|happy friday|top of the morning|pleased to meet|nice to meet|👋|i have a question|a question|quick question|can you help|could you help|help|help me|i need help|need assistance|got a sec|got a minute|have a minute|a moment|knock knock|ahoy|salutations)
    `,
  },
  questions: `what, how, when, where, which, why, who, whose, whats, hows, wheres, can i, could i, may i, do i, do you, does, did, is the, is my, are the, are my, is it, are there, is there, will, would, should i, can you, could you,
    i need, i want, i would like, id like, i have not, i havent, i cant, i cannot, it doesnt, it does not, my, price, cost, order, delivery, refund, invoice, account, password, appointment, booking, but`,
  notHuman: `
    ~ (am i|are you|are u|r u|is this|is it|is that|youre not|you are not|you a|or are you|is anyone|is someone|is somebody) [talking|speaking|chatting|writing] [to|with] [really|actually|even|just|a|an] [a|an|the] [real|actual|live|living|human|genuine] (human|person|human being|man|woman|guy|agent|bot|robot|machine|real person|people|employee|operator|typing|writing|behind) [or|are|love|here|then|there|behind|being|on|this|actually]
    ~ (human|person|someone|somebody|anyone|anybody|people) [actually|really] (behind|typing|writing|reading) [this|the|these|it]
    ~ (hello|hi|hey|hallo) [is] (anyone|anybody|someone|somebody) (there|here|home|around)
    ~ (human|humans) (resources|resource|body|hair|rights|and)
    ~ (dont|do not|wont|not|never) (want|wish|like|need|have) [to] (speak|talk|chat|deal|wait) (to|with|for) (a|an|any|your|the) (human|person|agent|people|representative|rep|operator|staff|someone)
    ~ (dont|do not) (need|want) (a|an|any) (human|person|agent|representative|rep|operator|people)
    ~ without (speaking|talking|having to speak|having to talk|calling|contacting|needing|waiting) [to|with|for] (a|an|someone|anyone|any|your|customer)
    ~ (become|being|work as|job as|jobs as|hire|hiring|apply|train|add|remove|invite|assign|create|delete|set up|change) (a|an|another|new|more|the|my|your|to|as) [be] [a|an] (agent|agents|representative|operator|advisor|manager|member|support|customer|staff|person|consultant)
    ~ (how many|which|what|whose|per) (person|people|persons|agents|humans|employees|staff|managers)
    ~ (for|per|each|every|one|two|three|four|another) (person|people|persons)
    ~ (travel|estate|insurance|shipping|booking|cleaning|real estate|letting|delivery|user|password|account|contact|product|project|store) (agent|agents|manager|person|managers)
  `,
};
