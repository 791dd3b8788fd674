"""Work in processes of its own: trainings and pattern checks, their handles and their recipes."""
