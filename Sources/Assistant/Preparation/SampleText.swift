/// What copies of a model are measured on: prose as people have it in their editors, in several kinds, written for
/// this. About 700 tokens.
enum SampleText {
  static let text = """
    Dear Ms. Okafor, thank you for your letter of 12 March. We are sorry that the second delivery arrived three days \
    late and that two of the boxes were damaged. The carrier has confirmed that the van broke down outside Leeds, and \
    we have asked for the cost of the repair to be taken off your invoice. A replacement will leave our warehouse on \
    Monday morning. If anything is still missing after that, please call me directly at extension 214.

    The old ferry crossed the lake four times a day, and nobody in the village could remember a time before it. Marta \
    knew the captain by his cough. He would stand at the rail with his collar turned up, counting the passengers \
    under his breath, and when the number was odd he waited a little longer, as if somebody might still come running \
    down the hill. On the evening of the first snow the number was odd again, and this time somebody came.

    hey, sorry for the late reply! yesterday was a mess. the build broke twice because someone renamed the config \
    file, and then the meeting went on for two hours. anyway, i think your idea is good, but can we keep it small for \
    now? maybe just the export button, and we look at the rest after the release. tell me what you think

    Photosynthesis turns light into chemical energy. In the first stage, pigments in the leaf absorb light and split \
    water, which sets oxygen free and charges small carrier molecules. In the second stage the plant spends that \
    charge to build sugar from carbon dioxide. The process is not very efficient: of the sunlight that falls on a \
    field, only one or two percent ends up in the crop. Even so, nearly everything that lives depends on it.

    Meeting notes, week 32:
    - Budget: travel is 8% over plan, equipment 3% under; Priya will send the corrected table by Friday.
    - Hiring: two candidates for the data team; interviews on the 9th and the 11th.
    - Office: the heating on the second floor is repaired, the lift is not.

    The committee welcomes the report and agrees with most of its findings. It does not, however, share the view that \
    the present rules are sufficient. Members heard from several witnesses that complaints take longer than a year to \
    settle, and that small companies often give up before a decision is reached. We therefore recommend a fixed limit \
    of ninety days, a single point of contact, and a public register of all cases, to be reviewed after two years.

    To bake the bread, mix the flour, the salt and the yeast in a large bowl, add the water, and stir until no dry \
    flour is left. Cover the bowl and let it stand overnight. In the morning fold the dough a few times, shape it \
    into a ball, and let it rest for an hour while the oven heats. Bake it in a covered pot for thirty minutes, then \
    take off the lid and give it another fifteen, until the crust is dark brown and sounds hollow when you knock on \
    it.
    """
}
